#include <support/catch.hpp>
#include <support/computation_text.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

// Loops from anywhere that are loaded: damaged ones, deep ones, and such as no function of the library writes.
namespace saved_loops_calls_test {

namespace {

namespace pv = purview;
using oracle::computation_text_of;
using pv::index_t;
using Lines = std::vector<std::string>;
using Vector = std::vector<double>;

/// Adds a line, and returns what refers to it.
std::string add(Lines& nodes, const std::string& node) {
    nodes.push_back(node);
    return "%" + std::to_string(nodes.size() - 1);
}
/// Functions within functions, each of which calls the one within so often, one after the other. The innermost adds 1.
Lines nested(int depth, int calls) {
    Lines nodes{"variable \"one\" float64 [] is 1", "number float64 1"};
    std::string argument = add(nodes, "argument 0 float64 []");
    std::string result = add(nodes, "add float64 [] [" + argument + " %1]");
    const auto call = [&](const std::string& given) {
        const std::string loop =
            add(nodes, "loop 1 1 0 1 [" + argument + "] [" + result + " []] [" + given + " []]");
        return add(nodes, "result 0 " + loop);
    };
    for (int d = 1; d < depth; ++d) {
        const std::string own = add(nodes, "argument 0 float64 []");
        std::string now = own;
        for (int i = 0; i < calls; ++i) now = call(now);
        argument = own;
        result = now;
    }
    call("%0");
    return nodes;
}
std::string last_of(const Lines& nodes) { return "%" + std::to_string(nodes.size() - 1) + " []"; }

pv::AnyComputation loaded(const Lines& nodes, const std::string& outputs) {
    return pv::computation_from(computation_text_of(nodes, outputs));
}
Vector result_of(const Lines& nodes, const std::string& output) {
    return pv::to_vector(loaded(nodes, output)({})[0].as<double>());
}

std::vector<std::string> some_computations() {
    const auto heat = pv::computation(
        [](auto u, auto rate) {
            return pv::sum(pv::sq(pv::iterate(
                [&](auto v) { return v + rate * (pv::roll(v, 1, 0) - v); }, u, 7, {.keep = 2})));
        },
        pv::spec<double>({3}), pv::spec<double>());
    const auto scan = pv::computation(
        [](auto s, auto rows) {
            auto [last, seen] = pv::scan_over(
                [](auto state, auto row) {
                    auto next = pv::choose(
                        pv::sum(state) > 2., [&](auto x) { return x - row; },
                        [&](auto x) { return x + row; }, state);
                    return std::pair(next, next * row);
                },
                s, rows);
            return std::tuple(last, seen);
        },
        pv::spec<double>({2}), pv::spec<double>({4, 2}));
    const auto root = pv::computation(
        [](auto a) {
            return pv::iterate_while([&](auto y) { return (y + a / y) / 2; }, a,
                                     [](auto now, auto before) { return before - now > 1e-9; },
                                     {.most = 40})
                .first;
        },
        pv::spec<double>());
    std::vector<std::string> all;
    const auto add_both = [&](const auto& c) {
        all.push_back(pv::computation_bytes(c));
        all.push_back(pv::computation_text(c));
    };
    add_both(pv::gradient(heat));
    add_both(scan);
    add_both(pv::value_and_gradient(root));
    return all;
}

/// Loads what may be damaged; what is loaded is saved, and loaded, as the same. Whether it is.
bool check_loaded(const std::string& given) {
    std::string bytes;
    try {
        bytes = pv::computation_bytes(pv::computation_from(given));
    } catch (const pv::FormatError&) {
        return false;
    }
    REQUIRE(pv::computation_bytes(pv::computation_from(bytes)) == bytes);
    return true;
}

} // namespace

TEST_CASE("damaged loops are refused, or are others", "[saved]") {
    for (const std::string& whole : some_computations()) {
        CAPTURE(whole);
        REQUIRE(check_loaded(whole));
        for (std::size_t size = 0; size < whole.size(); ++size)
            CHECK((!check_loaded(whole.substr(0, size)) || size + 1 == whole.size()));
        std::mt19937 random(7);
        const auto below = [&](std::size_t n) { return random() % n; };
        for (int i = 0; i < 3000; ++i) {
            std::string damaged = whole;
            for (std::size_t flips = 1 + below(3); flips > 0; --flips) {
                char& byte = damaged[below(damaged.size())];
                byte = below(2) == 0 ? static_cast<char>(byte ^ (1 << below(8)))
                                     : whole[below(whole.size())];
            }
            check_loaded(damaged);
        }
        // Parts of it in other places.
        for (int i = 0; i < 1000; ++i) {
            std::string damaged = whole;
            const std::size_t from = below(whole.size());
            const std::size_t size = std::min<std::size_t>(below(40), whole.size() - from);
            damaged.replace(below(whole.size()), below(40), whole.substr(from, size));
            check_loaded(damaged);
        }
    }
}

TEST_CASE("functions within functions are loaded up to a depth", "[saved]") {
    const Lines deepest = nested(64, 1);
    CHECK(result_of(deepest, last_of(deepest)) == Vector{2});
    const Lines deeper = nested(65, 1);
    CHECK_THROWS_WITH(loaded(deeper, last_of(deeper)),
                      Catch::EndsWith("functions are nested too deep"));
    const Lines far = nested(10'000, 1);
    CHECK_THROWS_AS(loaded(far, last_of(far)), pv::FormatError);
    const auto c = loaded(deepest, last_of(deepest)).as<double()>();
    CHECK(pv::computation_bytes(pv::computation_from(pv::computation_text(c))) ==
          pv::computation_bytes(c));
    const auto slope =
        pv::computation([&](auto x) { return pv::gradient(c() * x, x); }, pv::spec<double>());
    CHECK(slope(3.) == 2);
    // Each calls the next one twice: 2^30 calls, which nobody waits for, and as many lines, which nobody reads.
    const Lines many = nested(31, 2);
    const auto wide = loaded(many, last_of(many));
    std::ostringstream text;
    text << wide;
    CHECK(text.str().size() < 1'000'000);
    CHECK_THAT(text.str(), Catch::Contains("step: ..."));
    // The same twice, of nodes of their own: compared once.
    Lines twice = nested(31, 2);
    const Lines again = nested(31, 2);
    const std::size_t first = twice.size();
    for (std::string line : again) {
        for (std::size_t at = line.find('%'); at != std::string::npos;
             at = line.find('%', at + 1)) {
            const std::size_t end = line.find_first_not_of("0123456789", at + 1);
            const auto number = std::stoull(line.substr(at + 1, end - at - 1)) + first;
            line.replace(at, end == std::string::npos ? end : end - at,
                         "%" + std::to_string(number));
        }
        twice.push_back(line);
    }
    const auto both = loaded(twice, "%" + std::to_string(first - 1) + " [] " + last_of(twice));
    std::ostringstream same;
    same << both;
    CHECK(same.str().size() < 1'000'000);
    // A traced one.
    const auto deep = pv::computation(
        [](auto x) {
            const auto within = [](const auto& self, auto now, int rest) -> pv::Symbol<double> {
                if (rest == 0) return now + 1.;
                return pv::iterate([&](auto u) { return self(self, u, rest - 1); }, now, 1);
            };
            return within(within, x + 0., 65);
        },
        pv::spec<double>({1}));
    CHECK_THROWS_WITH(pv::computation_bytes(deep),
                      "computation_bytes: functions are nested deeper than 64");
}

TEST_CASE("functions that have nodes in common take no longer to load than others", "[saved]") {
    // Each is another function, of the same nodes.
    Lines nodes{"argument 0 float64 []", "tensor bool 1 true"};
    for (int i = 0; i < 3000; ++i)
        nodes.push_back("sq float64 [] [%" + std::to_string(i == 0 ? 0 : i + 1) + "]");
    const std::string chain = "%" + std::to_string(nodes.size() - 1);
    for (int i = 0; i < 3000; ++i) {
        const std::string own = "%" + std::to_string(i + 2);
        nodes.push_back("choose [%0] [" + chain + " [] " + own + " []] [%0] [" + chain + " [] " +
                        own + " []] [%1 [] %1 []]");
        nodes.back().replace(nodes.back().rfind("%1 []]"), 6, "%" + std::to_string(i + 2) + " []]");
    }
    CHECK_THROWS_WITH(loaded(nodes, chain + " []"),
                      Catch::EndsWith("functions have too many nodes in common"));
    // One that is called by many.
    Lines calls{"argument 0 float64 []", "variable \"x\" float64 [] is 1"};
    for (int i = 0; i < 2000; ++i)
        calls.push_back("negative float64 [] [%" + std::to_string(i == 0 ? 0 : i + 1) + "]");
    const std::string step = "%" + std::to_string(calls.size() - 1);
    std::string now = "%1";
    for (int i = 0; i < 2000; ++i) {
        const std::string loop = add(calls, "loop 1 1 0 1 [%0] [" + step + " []] [" + now + " []]");
        now = add(calls, "result 0 " + loop);
    }
    const auto c = loaded(calls, now + " []");
    CHECK(pv::computation_text(c).size() > 0);
    CHECK(c({})[0].as<double>().item() == 1);
}

TEST_CASE("a count is checked when a loop is called", "[saved]") {
    const Lines nodes{"variable \"count\" int64 [] is 0",
                      "argument 0 float64 [2]",
                      "number float64 1",
                      "argument 1 float64 []",
                      "add float64 [2] [%1 %3 as [2] by [0]]",
                      "tensor float64 3 10 20 30",
                      "loop 3 1 1 1 counted [%1 %3] [%4 [2] %1 [2]] [%0 [] %2 [2] by [0] %5 [3]]",
                      "result 0 %6",
                      "result 1 %6",
                      "result 2 %6"};
    for (const bool backwards : {false, true}) {
        Lines own = nodes;
        if (backwards) own[6].replace(own[6].find(" counted"), 8, " counted backwards");
        const auto c = loaded(own, "%7 [2] %8 [3 2] %9 [3 2] %6 []");
        const auto count = c.symbol("count");
        for (const index_t wrong : {index_t{-1}, index_t{4}, std::numeric_limits<index_t>::min(),
                                    std::numeric_limits<index_t>::max()}) {
            count.update(pv::full({}, wrong));
            CHECK_THROWS_AS(c({}), pv::IndexError);
        }
        const auto check = [&](index_t steps, double last, const Vector& rows, const Vector& kept) {
            count.update(pv::full({}, steps));
            const auto results = c({});
            CHECK(pv::to_vector(results[0].as<double>()) == Vector{last, last});
            CHECK(pv::to_vector(results[1].as<double>()) == rows);
            CHECK(pv::to_vector(results[2].as<double>()) == kept);
            CHECK(results[3].as<index_t>().item() == steps);
        };
        // Rows of steps that were not taken are zeros.
        check(0, 1, Vector(6, 0), Vector(6, 0));
        if (backwards) {
            check(2, 31, {21, 21, 1, 1, 0, 0}, {1, 1, 21, 21, 0, 0});
            check(3, 61, {51, 51, 31, 31, 1, 1}, {1, 1, 31, 31, 51, 51});
        } else {
            check(2, 31, {1, 1, 11, 11, 0, 0}, {1, 1, 11, 11, 0, 0});
            check(3, 61, {1, 1, 11, 11, 31, 31}, {1, 1, 11, 11, 31, 31});
        }
    }
}

TEST_CASE("loops that no function of the library makes are run as what they say", "[saved]") {
    // A condition, with rows and outputs; states kept each second step.
    const Lines nodes{
        "argument 0 float64 []",
        "argument 1 float64 []",
        "add float64 [] [%0 %1]",
        "tensor float64 5 1 2 3 4 5",
        "number float64 6",
        "less bool [] [%2 %4]",
        "less bool [] [%0 %4]",
        "number float64 0",
        "loop 5 1 1 2 [%0 %1] [%2 [] %1 [] %2 []] while [%0 %1] [%6 []] [%7 [] %3 [5]]",
        "result 0 %8",
        "result 1 %8",
        "result 2 %8",
        "result 3 %8"};
    CHECK(result_of(nodes, "%9 []") == Vector{6});
    CHECK(result_of(nodes, "%10 [5]") == Vector{1, 2, 3, 0, 0});
    CHECK(result_of(nodes, "%11 [5]") == Vector{1, 3, 6, 0, 0});
    CHECK(result_of(nodes, "%12 [3]") == Vector{0, 3, 0});
    // Its derivatives are those of the steps that were taken.
    Lines given = nodes;
    given[3] = "variable \"rows\" float64 [5] is 1 2 3 4 5";
    const auto c = loaded(given, "%11 [5]").as<pv::MutableTensor<double>()>();
    const auto slopes = pv::computation([&](auto x) { return pv::gradient(pv::sum(c()) * x, x); },
                                        pv::spec<double>());
    CHECK(slopes(1.) == 10);
    // No steps of a loop that has a condition; states and rows without elements; an input that is one number.
    Lines none = nodes;
    none[8].replace(0, 6, "loop 0");
    none[8].replace(none[8].find("%3 [5]"), 6, "%3 [0]");
    CHECK(result_of(none, "%9 []") == Vector{0});
    CHECK(result_of(none, "%10 [0]").empty());
    const Lines empty{"argument 0 float64 [0 2]",
                      "argument 1 float64 [2 0]",
                      "number float64 1",
                      "loop 3 1 1 2 [%0 %1] [%0 [0 2] %1 [2 0] %0 [0 2]] [%2 [0 2] %2 [3 2 0]]",
                      "result 0 %3",
                      "result 1 %3",
                      "result 2 %3",
                      "result 3 %3"};
    CHECK(result_of(empty, "%4 [0 2]").empty());
    CHECK(result_of(empty, "%5 [3 2 0]").empty());
    CHECK(result_of(empty, "%6 [3 0 2]").empty());
    CHECK(result_of(empty, "%7 [2 0 2]").empty());
    const Lines one{"argument 0 float64 []",
                    "argument 1 float64 []",
                    "add float64 [] [%0 %1]",
                    "variable \"x\" float64 [] is 2",
                    "loop 1000 1 1 2000 [%0 %1] [%2 []] [%3 [] %3 [1000] by [0]]",
                    "result 0 %4",
                    "result 1 %4"};
    CHECK(result_of(one, "%5 []") == Vector{2002});
    CHECK(result_of(one, "%6 [1]") == Vector{2});
    // A state is an argument of the program, too; indexes that are computed are checked.
    const Lines gathers{"argument 0 int64 [1]",
                        "argument 1 float64 [3]",
                        "gather \"take\" [1] [at 0] [%1 [3] %0 [1]]",
                        "cast int64 [1] [%2]",
                        "tensor float64 3 2 3 1",
                        "tensor int64 1 0",
                        "loop 4 1 0 1 [%0 %1] [%3 [1]] [%5 [1] %4 [3]]",
                        "result 0 %6"};
    CHECK_THROWS_AS(loaded(gathers, "%7 [1]")({}), pv::IndexError);
}

TEST_CASE("a state without rows beside a large one", "[saved]") {
    const auto [none, large] =
        pv::iterate([w = pv::ones({3'000'000})](auto a, auto b) { return std::tuple(a, b + w); },
                    std::tuple(pv::zeros({0}), pv::zeros({3'000'000})), 4);
    CHECK(none.size() == 0);
    CHECK(pv::all_of(large == 4.));
}

} // namespace saved_loops_calls_test
