// group_by_reduce of distributed tensors, beside that of the whole.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"
#include "support/own_reducers.hpp"

#include <cmath>
#include <limits>
#include <tuple>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using pv::index_t;

namespace {

template <typename T>
pv::MutableTensor<T> random_column(Random& random, pv::ShapeSpan shape, index_t most) {
    const auto x = pv::zeros<T>(shape);
    for (auto&& value : x) {
        if constexpr (std::floating_point<T>) {
            value = static_cast<T>(random.between(-most, most)) / T{4};
            if (random.one_in(12))
                value = random.one_in(2) ? -T{0} : std::numeric_limits<T>::quiet_NaN();
        } else {
            value = static_cast<T>(random.between(0, most));
        }
    }
    return x;
}

/// Equal, NaN to NaN too, or, for floats that were rounded in another order, as good as equal.
template <typename T>
bool same_column(const pv::Tensor<T>& a, const pv::Tensor<T>& b, double tolerance = 0) {
    bool same = std::ranges::equal(a.shape(), b.shape());
    for (auto x = a.begin(), y = b.begin(); same && x != a.end(); ++x, ++y) {
        const T left = *x;
        const T right = *y;
        same = left == right || (left != left && right != right);
        if constexpr (std::floating_point<T>)
            same = same || std::abs(left - right) <= tolerance * std::abs(right);
    }
    return same;
}

template <typename T>
void same_columns(const pv::Tensor<T>& found, const pv::Tensor<T>& expected) {
    INFO(found << " is " << expected);
    CHECK(same_column(found, expected, 1e-12));
}

template <typename K, typename V>
void check_groups(Random& random) {
    for (int round = 0; round < 25; ++round) {
        const pv::Shape shape =
            random.one_in(3)
                ? pv::Shape{random.between(0, 9), random.between(1, 9)}
                : pv::Shape{random.one_in(4) ? random.between(0, 4) : random.between(0, 400)};
        const pv::Tensor<K> keys = random_column<K>(random, shape, random.one_in(2) ? 3 : 100);
        const pv::Tensor<V> values = random_column<V>(random, shape, 3);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const pm::Distribution e =
            random.one_in(2) ? d : oracle::random_distribution(random, shape);
        INFO(to_string(d) << " and " << to_string(e));
        const auto found =
            pm::group_by_reduce(pm::distribute(keys, d), pm::distribute(values, e), pv::sum,
                                pv::group_size, pv::min, pv::max, pv::mean, pv::product);
        const auto expected = pv::group_by_reduce(keys, values, pv::sum, pv::group_size, pv::min,
                                                  pv::max, pv::mean, pv::product);
        static_assert(std::same_as<std::remove_cvref_t<decltype(found)>,
                                   std::remove_cvref_t<decltype(expected)>>);
        CHECK(same_column<K>(std::get<0>(found), std::get<0>(expected)));
        CHECK(same_column(std::get<1>(found), std::get<1>(expected)));
        CHECK(same_column(std::get<2>(found), std::get<2>(expected)));
        CHECK(same_column(std::get<3>(found), std::get<3>(expected)));
        CHECK(same_column(std::get<4>(found), std::get<4>(expected)));
        CHECK(same_column(std::get<5>(found), std::get<5>(expected)));
        CHECK(same_column(std::get<6>(found), std::get<6>(expected), 1e-6));
    }
}

} // namespace

TEST_CASE("groups of all ranks are those of the whole") {
    Random random(31);
    check_groups<std::int64_t, double>(random);
    check_groups<double, std::int32_t>(random);
    check_groups<float, float>(random);
    check_groups<std::uint8_t, std::uint64_t>(random);
    check_groups<std::int32_t, std::int8_t>(random);
    check_groups<bool, std::uint8_t>(random);
}

TEST_CASE("bools of groups, and the number of trues") {
    Random random(32);
    const pv::Tensor<std::int32_t> keys = random_column<std::int32_t>(random, pv::Shape{50}, 20);
    const pv::Tensor<bool> values = random_column<bool>(random, pv::Shape{50}, 1);
    const pm::Distribution d = pm::cyclic({50}, pm::Grid(oracle::world()), {3});
    const auto found =
        pm::group_by_reduce(pm::distribute(keys, d), pm::distribute(values, d), pv::any_of,
                            pv::all_of, pv::count_true, pv::sum, pv::max);
    const auto expected =
        pv::group_by_reduce(keys, values, pv::any_of, pv::all_of, pv::count_true, pv::sum, pv::max);
    CHECK(pv::equals(std::get<0>(found), std::get<0>(expected)));
    CHECK(pv::equals(std::get<1>(found), std::get<1>(expected)));
    CHECK(pv::equals(std::get<2>(found), std::get<2>(expected)));
    CHECK(pv::equals(std::get<3>(found), std::get<3>(expected)));
    CHECK(pv::equals(std::get<4>(found), std::get<4>(expected)));
    CHECK(pv::equals(std::get<5>(found), std::get<5>(expected)));
}

TEST_CASE("groups of all ranks by whatever has states") {
    Random random(33);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{random.between(0, 300)};
        const pv::Tensor<std::int16_t> keys = random_column<std::int16_t>(random, shape, 9);
        const pv::Tensor<double> values = random_column<double>(random, shape, 20);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const pm::Distribution e =
            random.one_in(2) ? d : oracle::random_distribution(random, shape);
        INFO(to_string(d) << " and " << to_string(e));
        const auto by = [&](const auto& group_by, const auto& k, const auto& v) {
            return group_by(k, v, pv::variance, pv::sample_standard_deviation(pv::skip_nan),
                            pv::min(pv::skip_nan), pv::mean(pv::skip_nan), pv::exact_sum,
                            pv::group_size, oracle::spread_of()(pv::skip_nan),
                            pv::approximate_quantile(.5)(pv::skip_nan), pv::skewness,
                            pv::any_of(pv::skip_nan), pv::count_true(pv::skip_nan),
                            oracle::ends_of()(pv::skip_nan));
        };
        const auto found = by([](const auto&... all) { return pm::group_by_reduce(all...); },
                              pm::distribute(keys, d), pm::distribute(values, e));
        const auto expected =
            by([](const auto&... all) { return pv::group_by_reduce(all...); }, keys, values);
        static_assert(std::same_as<std::remove_cvref_t<decltype(found)>,
                                   std::remove_cvref_t<decltype(expected)>>);
        const auto check = [&]<std::size_t... I>(std::index_sequence<I...>) {
            (same_columns(std::get<I>(found), std::get<I>(expected)), ...);
        };
        check(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(found)>>>());
    }
}

TEST_CASE("groups of all ranks by a reducer that keeps the order of rows") {
    Random random(34);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape = random.one_in(2)
                                    ? pv::Shape{random.between(1, 90)}
                                    : pv::Shape{random.between(1, 9), random.between(1, 9)};
        const pv::Tensor<bool> keys = random_column<bool>(random, shape, 1);
        const pv::Tensor<std::int64_t> values = random_column<std::int64_t>(random, shape, 1000);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        INFO(to_string(d));
        const auto [k, digests] = pm::group_by_reduce(
            pm::distribute(keys, d), pm::distribute(values, d), oracle::digest_of());
        const auto expected = pv::group_by_reduce(keys, values, oracle::digest_of());
        CHECK(pv::equals(k, std::get<0>(expected)));
        CHECK(pv::equals(digests, std::get<1>(expected)));
    }
}

TEST_CASE("reducers of groups that ranks cannot join are refused on all") {
    const pm::Distribution d = pm::blocks({20}, pm::Grid(oracle::world()));
    const auto keys = pm::distribute(pv::arange(20) % 3, d);
    const auto values = pm::distribute(pv::arange(20), d);
    CHECK_THROWS_AS(pm::group_by_reduce(keys, values, pv::median), pv::KindError);
    CHECK_THROWS_AS(pm::group_by_reduce(keys, values, pv::argmax), pv::KindError);
    CHECK_THROWS_AS(pm::group_by_reduce(keys, values, oracle::weighted()), pv::KindError);
    CHECK_THROWS_AS(pm::reduce(values, pv::median), pv::KindError);
    CHECK_THROWS_AS(pm::reduce(values, {0}, pv::median), pv::KindError);
    const auto nan = pm::distribute(
        pv::tensor(pv::cast<double>(pv::arange(20)) / 0.0 - pv::cast<double>(pv::arange(20)) / 0.0),
        d);
    CHECK_THROWS_AS(pm::group_by_reduce(keys, nan, pv::sum(pv::throw_nan)), pv::ArithmeticError);
    const auto [k, sums] = pm::group_by_reduce(keys, values, pv::sum);
    CHECK(pv::equals(sums, pv::tensor({63, 70, 57})));
}

TEST_CASE("rows that do not agree are refused on all ranks") {
    const pm::Grid grid(oracle::world());
    const auto keys = pm::distribute(pv::arange(10), pm::blocks({10}, grid));
    const auto values = pm::distribute(pv::ones({11}), pm::blocks({11}, grid));
    CHECK_THROWS_AS(pm::group_by_reduce(keys, values, pv::sum), pv::ShapeError);
    const auto more = pm::distribute(pv::ones({10}), pm::blocks({10}, grid));
    const auto [found, sums] = pm::group_by_reduce(keys, more, pv::sum);
    CHECK(pv::equals(found, pv::arange(10)));
    CHECK(pv::equals(sums, pv::ones({10})));
}
