#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/elementwise/column.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace column_test {

namespace pv = purview;

namespace columns {

struct Inner {
    float depth = 0;
    std::int16_t kind = 0;
    friend bool operator==(const Inner&, const Inner&) = default;
};
struct Base {
    std::int32_t id = 0;
};
/// As it would come from elsewhere: nothing compares it.
struct Particle : Base {
    std::uint8_t tag = 0;
    double mass = 0;
    long long steps = 0;
    bool alive = false;
    std::array<float, 2> pair{};
    float position[3]{};
    std::string name;
    Inner inner;
    const int fixed = 7;
};
struct Point {
    double x = 0;
    float y = 0;
    std::string label;
    Inner inner;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Labelled {
    double x = 0;
    float y = 0;
    std::string label;
    friend bool operator==(const Labelled&, const Labelled&) = default;
};

} // namespace columns

namespace {

using namespace columns;

std::vector<Particle> particles(int n) {
    std::vector<Particle> result(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        Particle& p = result[static_cast<std::size_t>(i)];
        p.id = i;
        p.tag = static_cast<std::uint8_t>(i * 3);
        p.mass = i * 0.5;
        p.steps = -i;
        p.alive = i % 2 == 1;
        for (int k = 0; k < 3; ++k) p.position[k] = static_cast<float>(10 * i + k);
        p.name = "p" + std::to_string(i);
        p.inner = {static_cast<float>(i), static_cast<std::int16_t>(100 + i)};
    }
    return result;
}

} // namespace

TEST_CASE("A column of foreign structs is a strided view that writes through") {
    auto owned = std::make_shared<std::vector<Particle>>(particles(6));
    Particle* const first = owned->data();
    const std::weak_ptr<std::vector<Particle>> alive = owned;
    {
        const auto mass = pv::column(first, &Particle::mass, {2, 3}, owned);
        STATIC_REQUIRE(std::same_as<decltype(mass), const pv::MutableTensor<double>>);
        owned.reset();
        CHECK_FALSE(alive.expired()); // the column owns it
        CHECK(pv::to_vector(mass) == std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5});
        mass(1, 2) = 40.0;
        CHECK(first[5].mass == 40.0);
        pv::copy(mass * 2, mass);
        CHECK(first[1].mass == 1.0);
        CHECK_FALSE(mass.is_contiguous());

        const auto steps = pv::column(first, &Particle::steps, {6}, {1}, alive.lock());
        STATIC_REQUIRE(std::same_as<decltype(steps), const pv::MutableTensor<std::int64_t>>);
        CHECK(pv::sum(steps) == -15);
        CHECK(pv::shares_storage(steps, pv::column(first, &Particle::id, {6}, alive.lock())));
        CHECK_FALSE(pv::may_overlap(steps, mass));
        CHECK(pv::may_overlap(steps, pv::column(first, &Particle::steps, {6}, alive.lock())));
    }
    CHECK(alive.expired());
}

TEST_CASE("Columns of every kind of member") {
    std::vector<Particle> list = particles(5);
    CHECK(pv::to_vector(pv::borrow_column(list, &Particle::id)) == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(pv::to_vector(pv::borrow_column(list, &Particle::alive)) ==
          std::vector<bool>{false, true, false, true, false});
    CHECK(pv::to_vector(pv::borrow_column(list, &Particle::tag)) ==
          std::vector<std::uint8_t>{0, 3, 6, 9, 12});
    const auto names = pv::borrow_column(list, &Particle::name);
    CHECK(pv::to_vector(names + "!") ==
          std::vector<std::string>{"p0!", "p1!", "p2!", "p3!", "p4!"});
    names(0) = "first";
    CHECK(list[0].name == "first");

    const auto position = pv::borrow_column(list, &Particle::position);
    CHECK(position.shape() == pv::Shape{5, 3});
    CHECK(position(4, 2) == 42);
    pv::copy(position(pv::all, 1) + 1, position(pv::all, 1));
    CHECK(list[3].position[1] == 32);
    const auto kinds = pv::borrow_column(list, &Particle::inner) | pv::column(&Inner::kind);
    STATIC_REQUIRE(std::same_as<decltype(kinds), const pv::MutableTensor<std::int16_t>>);
    kinds(1) = std::int16_t{7};
    CHECK(list[1].inner.kind == 7);
    CHECK(pv::borrow_column(list, &Particle::pair)(2) == std::array<float, 2>{});

    // Backwards, and what is const.
    const auto back = pv::borrow_column(list.data() + 4, &Particle::id, {3}, {-2});
    CHECK(pv::to_vector(back) == std::vector<int>{4, 2, 0});
    const std::vector<Particle>& fixed = list;
    STATIC_REQUIRE(
        std::same_as<decltype(pv::borrow_column(fixed, &Particle::mass)), pv::Tensor<double>>);
    STATIC_REQUIRE(
        std::same_as<decltype(pv::borrow_column(list, &Particle::fixed)), pv::Tensor<int>>);
    CHECK(pv::sum(pv::borrow_column(list, &Particle::fixed)) == 35);
    const auto same = pv::borrow_column(list.data(), &Particle::id, {4}, {0});
    CHECK(same.is_read_only());
}

TEST_CASE("Columns refuse what does not fit") {
    std::vector<Particle> list = particles(3);
    const std::span<Particle> span(list);
    CHECK(pv::column(span, &Particle::id, std::make_shared<int>(0)).shape() == pv::Shape{3});
    CHECK_THROWS_AS(pv::borrow_column(static_cast<Particle*>(nullptr), &Particle::id, {2}),
                    pv::ShapeError);
    CHECK_THROWS_AS(pv::borrow_column(list.data(), &Particle::id, {3}, {1, 1}), pv::ShapeError);
    CHECK_THROWS_AS(pv::column(span, &Particle::id, nullptr), pv::Error);
    CHECK(pv::borrow_column(std::span<Particle>(), &Particle::mass).empty());
    CHECK(pv::borrow_column(static_cast<Particle*>(nullptr), &Particle::position, {0}).shape() ==
          pv::Shape{0, 3});
}

TEST_CASE("Columns of tensors of structs, in any layout") {
    pv::MutableTensor<Point> t = pv::empty<Point>({3, 4});
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            t(i, j) = Point{i + 0.25, static_cast<float>(j), std::to_string(i * 4 + j), {}};
    const auto x = t | pv::column(&Point::x);
    STATIC_REQUIRE(std::same_as<decltype(x), const pv::MutableTensor<double>>);
    x(2, 3) = 99.0;
    CHECK(Point(t(2, 3)).x == 99);

    const auto check = [](const auto& view) {
        const auto y = pv::column(view, &Point::y);
        const auto labels = pv::column(view, &Point::label);
        CHECK(y.shape() == view.shape());
        const std::vector<Point> naive = pv::to_vector(view);
        const std::vector<float> ys = pv::to_vector(y);
        const std::vector<std::string> texts = pv::to_vector(labels);
        for (std::size_t i = 0; i < naive.size(); ++i) {
            CHECK(ys[i] == naive[i].y);
            CHECK(texts[i] == naive[i].label);
        }
    };
    check(t);
    check(pv::transpose(t));
    check(pv::rotate(t, {1, 2}));
    check(pv::flip(t));
    check(t(pv::range(0, 3, 2), std::vector<int>{3, 0, 0}));
    check(pv::broadcast(t, {6, 4}));
    check(t(1, 2, pv::new_axis));
    // Computed: lazy, read only.
    const auto swapped = pv::emap([](const Point& p) { return Point{-p.x, p.y, p.label, {}}; }, t);
    check(swapped);
    CHECK(pv::column(swapped, &Point::x).is_read_only());
    CHECK(pv::column(pv::Tensor<Point>(t), &Point::x)(2, 3) == 99);
    // The engine reads columns as any other memory.
    CHECK(pv::sum(pv::column(t, &Point::y)) == 18);
    CHECK(pv::to_vector(pv::argsort(-pv::column(t, &Point::y)(0, pv::all))) ==
          std::vector<std::int64_t>{3, 2, 1, 0});
    // Over dims.
    pv::Dim i, j;
    const auto by_dims = t(i, j) | pv::column(&Point::y) | pv::order(j, i);
    CHECK(pv::to_vector(by_dims) == std::vector<float>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
}

TEST_CASE("structs puts columns together") {
    const auto x = pv::tensor({1.0, 2.0});
    const auto y = pv::tensor({{0.5f}, {1.5f}});
    const auto points = pv::structs<Labelled>(x, y, "p");
    CHECK(points.shape() == pv::Shape{2, 2});
    CHECK(points(1, 0) == Labelled{1.0, 1.5f, "p"});
    CHECK(pv::to_vector(points | pv::column(&Labelled::x)) == std::vector<double>{1, 2, 1, 2});
}

} // namespace column_test
