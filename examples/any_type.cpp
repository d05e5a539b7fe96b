/// Elements of other types than numbers: structs taken apart, days and times, strings.

#include "check.hpp"

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pv = purview;
using namespace std::chrono;

/// An element: it compares.
struct Trade {
    sys_seconds at;
    double price = 0;
    std::int32_t amount = 0;
    friend bool operator==(const Trade&, const Trade&) = default;
};

namespace {

/// As another library has it: it need not compare.
struct Particle {
    std::string name;
    float position[3];
    double mass;
};

void move_points() {
    auto coordinates = pv::tensor({{0., 0., 0.}, {3., 4., 0.}, {1., 2., 2.}});
    // [small]
    using Point = pv::small<double, 3>;
    auto points = coordinates | pv::small_vectors<3>; // a view: [3] of Point
    auto lengths = pv::emap([](const Point& p) { return p.norm(); }, points); // {0, 5, 3}
    auto moved = points * 2. + Point(0, 0, 1);
    auto back = pv::components(moved); // [3, 3]
    Point p = points(1), q = points(2);
    Point normal = p.cross(q).normalized(); // without nodes and memory
    // [/small]
    check(pv::sum(lengths) == 8, "lengths of points");
    check(back(2, 2) == 5, "components of moved points");
    check(std::abs(normal.dot(p)) < 1e-12, "a normal");
}

void take_structs_apart() {
    auto particles = std::make_shared<std::vector<Particle>>(
        std::vector<Particle>{{"sun", {0, 0, 0}, 332946}, {"earth", {1, 0, 0}, 1}});
    // [columns]
    Particle* foreign = particles->data();
    auto mass = pv::column(foreign, &Particle::mass, {2}, particles);         // strided, zero-copy
    auto position = pv::column(foreign, &Particle::position, {2}, particles); // [2, 3]
    pv::copy(mass / pv::sum(mass), mass); // writes to the structs
    pv::copy(position * 149.6, position);
    // [/columns]
    check(foreign[0].mass + foreign[1].mass == 1, "the masses are parts of one");
    check(foreign[1].position[0] == 149.6f, "positions are in millions of kilometres");

    const auto trades =
        pv::structs<Trade>(pv::tensor(std::vector<sys_seconds>{sys_days(2024y / 2 / 29) + 9h,
                                                               sys_days(2024y / 3 / 4) + 17h}),
                           pv::tensor({10.5, 11.0}), pv::tensor({100, 200}));
    check(pv::sum((trades | pv::column(&Trade::price)) * (trades | pv::column(&Trade::amount))) ==
              3250,
          "columns of computed structs are lazy");
}

void work_with_time() {
    auto opened = pv::tensor(std::vector<sys_seconds>{sys_days(2024y / 2 / 29) + 9h + 30min,
                                                      sys_days(2024y / 3 / 4) + 17h});
    // [time]
    auto dates = opened | pv::floor_time<days>;                     // tensor of sys_days
    auto weekdays = pv::day_of_week(opened);                        // {4, 1}: Thursday, Monday
    auto due = dates + weeks(2);                                    // sys_days again
    auto waited = pv::between<days>(opened, due);                   // {13, 13}: whole days
    auto unix_seconds = pv::ticks(opened);                          // int64, zero-copy
    auto first = pv::dates(pv::year_of(due), pv::month_of(due), 1); // of their months
    // [/time]
    check(pv::to_vector(weekdays) == std::vector<int>{4, 1}, "weekdays");
    check(pv::to_vector(waited) == std::vector<std::int64_t>{13, 13}, "whole days");
    check(pv::to_vector(first) == std::vector<sys_days>{2024y / 3 / 1, 2024y / 3 / 1},
          "firsts of months");
    check(pv::shares_storage(unix_seconds, opened), "counts are a view");
    unix_seconds(0) = std::int64_t{0};
    check(sys_seconds(opened(0)) == sys_seconds(), "and write through");
}

void work_with_strings() {
    // [strings]
    auto lines = pv::tensor({" Height=1.75 ", "WEIGHT=70"});
    auto clean = lines | pv::trim | pv::to_lower; // lazy
    auto names = pv::replace_all(clean, "=", ": ") + ";";
    auto values = clean | pv::substring(7) | pv::parse<double>; // {1.75, 70}
    auto heights = pv::starts_with(clean, "height");            // {true, false}
    // [/strings]
    check(pv::to_vector(names) == std::vector<std::string>{"height: 1.75;", "weight: 70;"},
          "names");
    check(pv::to_vector(values) == std::vector<double>{1.75, 70}, "values");
    check(pv::to_vector(heights) == std::vector<bool>{true, false}, "heights");
}

} // namespace

int main() {
    take_structs_apart();
    move_points();
    work_with_time();
    work_with_strings();
    return exit_status();
}
