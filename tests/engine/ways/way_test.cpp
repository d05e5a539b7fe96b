#include "engine/ways/way.hpp"

#include <support/allowing_ways.hpp>
#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/sorting.hpp>

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// The ways in which reductions are computed: each gives what the others do, and `explain` names the one that is taken.

namespace way_test {

namespace {

/// A quarter at least, as that many see every way.
int rounds(int all) { return std::max(oracle::rounds(all), all / 4); }

namespace pv = purview;
using oracle::Allowing;
using oracle::Random;
using pv::index_t;
using pv::Reduction;
using pv::engine::Way;
using pv::engine::Ways;

constexpr Way kWays[] = {Way::flat,         Way::product,    Way::gathered_rows, Way::windows,
                         Way::line_windows, Way::outer_axes, Way::last_axis,     Way::rows,
                         Way::cells,        Way::groups};

/// Those of some ways that reductions are told by; they use ways of assignments for their parts.
Ways of_folds(Ways ways) {
    Ways folds;
    for (const Way way : kWays)
        if (ways.has(way)) folds = folds.with(way);
    return folds;
}

template <typename T>
std::vector<T> reduced(Reduction reduction, const pv::Operand& source, index_t groups) {
    std::vector<T> results(static_cast<std::size_t>(groups));
    pv::reduce_groups(reduction, source, groups, results.data());
    return results;
}

/// A tensor and the number of results of its leading axes.
template <typename T>
struct Source {
    pv::Tensor<T> x;
    index_t groups;
    const char* name;
};

template <typename T>
pv::MutableTensor<T> numbers(Random& random, const pv::Shape& shape) {
    auto x = pv::empty<T>(shape);
    for (auto&& each : x) each = static_cast<T>(random.between(-8, 9)) / T{2};
    return x;
}

/// One of the layouts that the ways are for.
template <typename T>
Source<T> source_of(Random& random) {
    const index_t n = random.between(1, 90), m = random.between(1, 300);
    const index_t few = random.between(1, 12);
    switch (random.between(0, 9)) {
    case 0: return {numbers<T>(random, {n * m}), 1, "a line"};
    case 1: return {pv::transpose(numbers<T>(random, {n, m})), m, "over the first axis"};
    case 2: return {numbers<T>(random, {n, m}) * T{2}, n, "over the last axis"};
    case 3:
        return {pv::transpose(numbers<T>(random, {n, few, m}), {0, 2, 1}), n * m,
                "over a middle axis"};
    case 4:
        return {numbers<T>(random, {n + few + 70}) | pv::sliding_window(0, few), n + 71, "windows"};
    case 5: { // windows of lines, at every other element
        const pv::Tensor<T> x = numbers<T>(random, {2 * n + 3, 2 * m + 140});
        const pv::Tensor<T> windows =
            x | pv::sliding_window(0, 3) | pv::sliding_window(1, 3); // [rows, columns, 3, 3]
        const auto every = pv::clone(windows).extent(1);
        const pv::Tensor<T> some =
            windows(pv::range(0, 2 * n, 2), pv::range(0, every, 2), pv::all, pv::all);
        return {some, some.extent(0) * some.extent(1), "windows at every other element"};
    }
    case 6: {
        std::vector<index_t> rows;
        for (index_t i = 0; i < few * n; ++i) rows.push_back(random.between(0, m - 1));
        const pv::Tensor<T> bags =
            pv::reshape(pv::take(numbers<T>(random, {m, 8}), rows, 0), {n, few, 8});
        return {pv::transpose(bags, {0, 2, 1}), n * 8, "rows that are gathered"};
    }
    case 7: {
        const pv::Tensor<T> a = numbers<T>(random, {n, 1, m}), b = numbers<T>(random, {1, few, m});
        return {a * b, n * few, "a product"};
    }
    case 8: {
        const pv::Tensor<T> a = numbers<T>(random, {n, 1, few}),
                            b = numbers<T>(random, {1, m, few});
        return {pv::abs(a - b), n * m, "few of an outer difference"};
    }
    default:
        return {pv::transpose(numbers<T>(random, {few, n, 3, m}), {1, 3, 0, 2}), n * m,
                "over two axes"};
    }
}

template <typename T>
bool are_near(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
    return std::ranges::equal(a, b, [&](T x, T y) {
        if constexpr (std::floating_point<T>)
            return std::abs(static_cast<double>(x) - static_cast<double>(y)) <=
                   tolerance * (1 + std::abs(static_cast<double>(y)));
        else
            return x == y;
    });
}

/// The ways that a text names. `flat` and `groups` are both a fused loop.
Ways named_in(const std::string& text) {
    Ways ways;
    const auto add = [&](const char* words, Way way) {
        if (text.find(words) != std::string::npos) ways = ways.with(way);
    };
    add("way: gem", Way::product);
    add("laid along the sum", Way::product);
    add("as they are gathered", Way::gathered_rows);
    add("of a window in one", Way::windows);
    add("lines of windows", Way::line_windows);
    add("along outer axes", Way::outer_axes);
    add("along the last axis in one", Way::last_axis);
    add("rows folded into rows", Way::rows);
    add("cells are folded", Way::cells);
    add("fused loop", Way::groups);
    return ways;
}

} // namespace

TEST_CASE("ways are named by a text") {
    CHECK(Ways::parse("") == Ways::all());
    CHECK(Ways::parse("plain") == Ways::plain());
    CHECK(Ways::parse("rows,cells") == Ways::plain().with(Way::rows).with(Way::cells));
    CHECK(Ways::parse("-product,-rows") == Ways::all().without(Way::product).without(Way::rows));
    CHECK_THROWS_WITH(Ways::parse("rows,quickly"),
                      Catch::Matchers::ContainsSubstring("'quickly' is none of plain flat"));
}

TEMPLATE_TEST_CASE("every way that can do a reduction gives what the plain one does", "", float,
                   double, std::int32_t, std::int64_t) {
    Random random(3);
    Ways seen;
    for (int round = 0; round < rounds(300); ++round) {
        const Source<TestType> source = source_of<TestType>(random);
        const Reduction reduction =
            random.one_in(2) ? Reduction::sum
                             : (random.one_in(2) ? Reduction::maximum : Reduction::minimum);
        const pv::Operand& operand = source.x.operand();
        std::vector<TestType> plain;
        {
            const Allowing only(Ways{Way::groups});
            plain = reduced<TestType>(reduction, operand, source.groups);
        }
        const double tolerance = std::same_as<TestType, float> ? 1e-4 : 1e-12;
        INFO(source.name << " " << pv::name_of(reduction) << " round " << round);
        for (const Way way : kWays) {
            const Allowing two(Ways{Way::groups, way});
            CHECK(are_near(reduced<TestType>(reduction, operand, source.groups), plain, tolerance));
        }
        pv::engine::ways_taken() = {};
        CHECK(are_near(reduced<TestType>(reduction, operand, source.groups), plain, tolerance));
        for (const Way way : kWays)
            if (pv::engine::ways_taken().has(way)) seen = seen.with(way);
    }
#ifndef NDEBUG
    for (const Way way : kWays) {
        const bool is_for_floats = way == Way::line_windows || way == Way::product;
        if (is_for_floats && !std::floating_point<TestType>) continue;
        if (way == Way::gathered_rows && std::same_as<TestType, std::int32_t>) continue;
        INFO("way " << static_cast<int>(way));
        CHECK(seen.has(way));
    }
#endif
}

TEMPLATE_TEST_CASE("every way that can do an assignment gives what the plain one does", "", float,
                   double, std::int16_t, std::int64_t) {
    Random random(5);
    Ways seen;
    for (int round = 0; round < rounds(200); ++round) {
        const Source<TestType> source = source_of<TestType>(random);
        const index_t last = source.x.rank() - 1;
        const pv::Tensor<TestType> rotated = pv::roll(source.x, source.x.extent(last) / 3, last);
        const pv::Tensor<TestType> x = random.one_in(3) ? source.x : rotated + source.x;
        const pv::Shape shape = pv::to_shape(x.shape());
        // Every other element of a larger array.
        pv::Shape larger = shape;
        larger.back() *= 2;
        const auto assigned = [&](bool dense) {
            const auto to = pv::zeros<TestType>(dense ? shape : larger);
            auto view = to.operand();
            if (!dense)
                view.dims = pv::dimensions::select(view.dims, last, pv::Range(0, larger.back(), 2));
            pv::assign(x.operand(), view);
            return pv::to_vector(to);
        };
        for (const bool dense : {true, false}) {
            std::vector<TestType> plain;
            {
                const Allowing only(Ways::plain());
                plain = assigned(dense);
            }
            INFO(source.name << (dense ? ", dense" : ", strided") << " round " << round);
            for (const Way way : {Way::copied, Way::elementwise, Way::boxes}) {
                const Allowing two(Ways::plain().with(way));
                pv::engine::ways_taken() = {};
                CHECK(assigned(dense) == plain);
                seen = seen.with(pv::engine::ways_taken());
            }
            CHECK(assigned(dense) == plain);
        }
    }
#ifndef NDEBUG
    for (const Way way : {Way::copied, Way::elementwise, Way::boxes, Way::computed})
        CHECK(seen.has(way));
#endif
}

TEMPLATE_TEST_CASE("every way that can sort gives what the plain one does", "", float, double,
                   std::uint8_t, std::int64_t) {
    Random random(6);
    for (int round = 0; round < rounds(100); ++round) {
        const index_t n = random.between(1, 40), m = random.between(1, 300);
        const auto x = numbers<TestType>(random, {n, m});
        for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
            const auto sorted = [&] {
                std::vector<TestType> elements(static_cast<std::size_t>(n * m));
                pv::sort_groups(x.operand(), n, order, elements.data());
                return elements;
            };
            const auto indexes = [&] {
                std::vector<std::int64_t> places(static_cast<std::size_t>(n * m));
                pv::argsort_groups(x.operand(), n, order, places.data());
                return places;
            };
            const auto elements = sorted();
            const auto places = indexes();
            const Allowing only(Ways::plain());
            CHECK(sorted() == elements);
            CHECK(indexes() == places);
        }
    }
}

#ifndef NDEBUG
TEST_CASE("explain names the ways that a reduction takes") {
    Random random(4);
    for (int round = 0; round < rounds(400); ++round) {
        const Source<double> source = source_of<double>(random);
        const Reduction reduction = random.one_in(2) ? Reduction::sum : Reduction::maximum;
        const pv::Operand& operand = source.x.operand();
        pv::engine::ways_taken() = {};
        reduced<double>(reduction, operand, source.groups);
        Ways taken = of_folds(pv::engine::ways_taken());
        if (taken.has(Way::flat)) taken = taken.without(Way::flat).with(Way::groups);
        const std::string text =
            pv::explain_reduction("reduction", reduction, operand, source.groups);
        INFO(source.name << " round " << round << "\n" << text);
        CHECK(named_in(text) == taken);
    }
}
#endif

} // namespace way_test
