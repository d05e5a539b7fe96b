// `approximate_quantile` and `approximate_distinct`, beside sorted elements and sets.
#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/chunked.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/functional/statistics/sketches.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sketches_test {

namespace {

namespace pv = purview;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Elements in an order that `kind` chooses.
std::vector<double> elements(std::size_t count, int kind, std::mt19937_64& random) {
    std::vector<double> x(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<double>(i);
        x[i] = kind == 0   ? static_cast<double>(random() % 1'000'003)
               : kind == 1 ? at
               : kind == 2 ? -at
               : kind == 3 ? static_cast<double>(i % 97) * 1e6 + at // a saw
               : kind == 4 ? static_cast<double>(random() % 5)      // few values
                           : std::exp(static_cast<double>(random() % 1000) / 10);
    }
    return x;
}

/// How far the rank of an element is from the wanted one, of all elements.
double rank_error(const std::vector<double>& sorted, double found, double quantile) {
    const auto [first, last] = std::ranges::equal_range(sorted, found);
    if (first == last) return 1; // no element
    const double wanted = quantile * static_cast<double>(sorted.size() - 1);
    const auto least = static_cast<double>(first - sorted.begin());
    const auto most = static_cast<double>(last - sorted.begin() - 1);
    return std::max({0., least - wanted, wanted - most}) / static_cast<double>(sorted.size());
}

const double kQuantiles[]{0, .001, .01, .1, .25, .5, .75, .9, .99, .999, 1};

} // namespace

TEST_CASE("approximate_quantile: few elements have the quantiles that they have") {
    std::mt19937_64 random(1);
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const auto count = 1 + random() % (round % 4 == 0 ? 511 : 20);
        const auto x = pv::tensor(elements(count, round % 6, random));
        CAPTURE(count, round);
        const auto found = pv::reduce(x, pv::approximate_quantile(kQuantiles));
        CHECK(pv::equals(found, pv::quantile(x, std::vector<double>(std::begin(kQuantiles),
                                                                    std::end(kQuantiles)))));
        CHECK(pv::reduce(x, pv::approximate_quantile(.3)) == pv::quantile(x, .3));
        CHECK(pv::equals(pv::reduce(pv::chunked(x, {7}), pv::approximate_quantile(kQuantiles)),
                         found));
    }
}

TEST_CASE("approximate_quantile: many elements are near in rank, whatever the parts") {
    std::mt19937_64 random(2);
    double square = 0;
    int count = 0;
    for (int round = 0; round < oracle::rounds(48); ++round) {
        const std::vector<double> x = elements(600 + random() % 120'000, round % 6, random);
        std::vector<double> sorted = x;
        std::ranges::sort(sorted);
        const auto all = pv::tensor(x);
        CAPTURE(x.size(), round);
        const auto check = [&](const auto& found) {
            std::size_t i = 0;
            for (const double each : pv::to_vector(found)) {
                const double error = rank_error(sorted, each, kQuantiles[i++]);
                CHECK(error < 0.015);
                square += error * error;
                ++count;
            }
            CHECK(found.read(0) == sorted.front());
            CHECK(found.read(10) == sorted.back());
        };
        const auto whole = pv::reduce(all, pv::approximate_quantile(kQuantiles));
        check(whole);
        check(pv::reduce(pv::chunked(all, {1 + static_cast<index_t>(random() % 9000)}),
                         pv::approximate_quantile(kQuantiles)));
        for (const int threads : {1, 3}) {
            pv::set_threads(threads);
            CHECK(pv::equals(pv::reduce(all, pv::approximate_quantile(kQuantiles)), whole));
        }
    }
    pv::set_threads(0);
    CHECK(std::sqrt(square / count) < 0.003);
}

TEST_CASE("approximate_quantile: axes, types, NaN, groups, windows, sparse, and what is refused") {
    std::mt19937_64 random(3);
    const auto x = pv::reshape(pv::tensor(elements(600, 0, random)), {20, 30});
    const auto columns = pv::reduce(x, 0, pv::approximate_quantile({.25, .5}));
    CHECK(pv::equals(columns, pv::quantile(x, {.25, .5}, 0)));
    CHECK(pv::to_shape(columns.shape()) == pv::Shape{2, 30});
    const auto large = pv::clone(pv::cast<std::int64_t>(x));
    CHECK(
        pv::equals(pv::reduce(large, 1, pv::approximate_quantile(.5)), pv::quantile(large, .5, 1)));
    CHECK(pv::reduce(pv::AnyTensor(large(0, pv::all)), pv::approximate_quantile(.5)) ==
          pv::quantile(large(0, pv::all), .5));
    const auto with_nan = pv::tensor({3., kNaN, 1., 2.});
    CHECK(std::isnan(pv::reduce(with_nan, pv::approximate_quantile(.5))));
    CHECK(pv::reduce(with_nan, pv::approximate_quantile(.5)(pv::skip_nan)) == 2);
    CHECK(std::isnan(pv::reduce(pv::zeros<double>({0}), pv::approximate_quantile(.5))));
    CHECK(std::isnan(pv::reduce(pv::chunked(with_nan, {1}), pv::approximate_quantile(.5))));
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(pv::reduce(pv::tensor({-inf, 1., inf}), pv::approximate_quantile(.5)) == 1);

    const auto flat = pv::clone(pv::reshape(x, {-1}));
    const auto keys = pv::clone(pv::cast<std::int64_t>(flat) % 7);
    const auto [k, q, several] = pv::group_by_reduce(keys, flat, pv::approximate_quantile(.5),
                                                     pv::approximate_quantile({0, 1}));
    const auto [k2, q2] = pv::group_by_reduce(
        keys, flat, [](const pv::Tensor<double>& v) { return pv::quantile(v, .5); });
    CHECK(pv::equals(q, q2));
    CHECK(pv::to_shape(several.shape()) == pv::Shape{2, 7});
    const auto numbers = pv::tensor(elements(600, 1, random));
    for (const index_t width : {3, 50, 5000})
        CHECK(pv::equals(pv::fixed_rolling_window(numbers, width, pv::approximate_quantile(.5)),
                         pv::fixed_rolling_window(numbers, width, [](const pv::Tensor<double>& v) {
                             return pv::reduce(v, pv::approximate_quantile(.5));
                         })) == (width < 512));
    CHECK(pv::reduce(pv::to_sparse(pv::tensor({0., 0., 0., 4.})), pv::approximate_quantile(.9)) ==
          pv::quantile(pv::tensor({0., 0., 0., 4.}), .9));
    CHECK_THROWS_AS(pv::approximate_quantile(1.5), pv::Error);
    CHECK_THROWS_AS(pv::approximate_quantile({.5, kNaN}), pv::Error);
    CHECK_THROWS_AS(pv::quantile_sketch({}, true), pv::Error);
    CHECK_THROWS_AS(
        pv::reduce(pv::AnyTensor(pv::tensor<std::string>({"a"})), pv::approximate_quantile(.5)),
        pv::DtypeError);
}

TEST_CASE("approximate_distinct: few are counted, many are near, in any order and parts") {
    std::mt19937_64 random(4);
    double square = 0;
    int count = 0;
    for (int round = 0; round < oracle::rounds(80); ++round) {
        const std::uint64_t kinds = round % 2 == 0 ? 1 + random() % 1536 : 1 + random() % 300'000;
        std::vector<std::int64_t> values(1 + random() % 200'000);
        for (auto& each : values) each = static_cast<std::int64_t>(random() % kinds) - 500;
        const auto expected =
            static_cast<double>(std::set<std::int64_t>(values.begin(), values.end()).size());
        const auto x = pv::tensor(values);
        const std::int64_t found = pv::reduce(x, pv::approximate_distinct);
        CAPTURE(values.size(), kinds, expected, found);
        if (expected <= 1536) {
            CHECK(static_cast<double>(found) == expected);
        } else {
            const double error = (static_cast<double>(found) - expected) / expected;
            CHECK(std::abs(error) < 0.04);
            square += error * error;
            ++count;
        }
        std::ranges::shuffle(values, random);
        CHECK(pv::reduce(pv::tensor(values), pv::approximate_distinct) == found);
        CHECK(pv::reduce(pv::chunked(x, {1 + static_cast<index_t>(random() % 5000)}),
                         pv::approximate_distinct) == found);
    }
    CHECK(std::sqrt(square / count) < 0.0125);
}

TEST_CASE("approximate_distinct: types, axes, NaN, groups, windows, sparse") {
    const auto same = [](const auto& x) {
        return pv::reduce(x, pv::approximate_distinct) ==
               static_cast<std::int64_t>(std::ssize(pv::unique(x)));
    };
    CHECK(same(pv::tensor<std::uint8_t>({1, 2, 1, 255})));
    CHECK(same(pv::tensor<std::uint64_t>({1, std::numeric_limits<std::uint64_t>::max(), 1, 0})));
    CHECK(same(pv::tensor<std::int32_t>({1, -1, 1, 0})));
    CHECK(same(pv::tensor<float>({1.5F, -1, 1.5F, 0})));
    CHECK(same(pv::tensor({true, true})));
    CHECK(pv::reduce(pv::tensor({0., -0., kNaN, -kNaN, 1.}), pv::approximate_distinct) == 3);
    CHECK(pv::reduce(pv::tensor({0., -0., kNaN, -kNaN, 1.}),
                     pv::approximate_distinct(pv::skip_nan)) == 2);
    CHECK(pv::reduce(pv::tensor<std::string>({"a", "", "a longer one, of two words", "a"}),
                     pv::approximate_distinct) == 3);
    const auto days = pv::tensor({std::chrono::sys_days(std::chrono::days(3)),
                                  std::chrono::sys_days(), std::chrono::sys_days()});
    CHECK(pv::reduce(days, pv::approximate_distinct) == 2);
    CHECK(pv::reduce(pv::AnyTensor(days), pv::approximate_distinct, pv::approximate_distinct) ==
          pv::reduce(pv::AnyTensor(pv::tensor({1, 2})), pv::approximate_distinct,
                     pv::approximate_distinct));
    CHECK(pv::reduce(pv::zeros<double>({0}), pv::approximate_distinct) == 0);

    const auto x = pv::tensor({{1, 2, 2}, {1, 1, 1}});
    const auto [distinct, sums] =
        pv::reduce(x, 1, pv::approximate_distinct, pv::sum, pv::keep_dims);
    CHECK(pv::equals(distinct, pv::tensor<std::int64_t>({{2}, {1}})));
    CHECK(pv::equals(sums, pv::tensor<std::int64_t>({{5}, {3}})));
    const auto [k, d] =
        pv::group_by_reduce(pv::tensor({1, 2, 1}), pv::tensor({5, 5, 6}), pv::approximate_distinct);
    CHECK(pv::equals(d, pv::tensor<std::int64_t>({2, 1})));
    CHECK(pv::equals(pv::expanding_window(pv::tensor({5, 5, 6, 7}), pv::approximate_distinct),
                     pv::tensor<std::int64_t>({1, 1, 2, 3})));
    CHECK(pv::reduce(pv::to_sparse(pv::tensor({0, 0, 4, 5, 4})), pv::approximate_distinct) == 3);
}

} // namespace sketches_test
