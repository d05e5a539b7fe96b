// Cumulative sums, histograms and quantiles of distributed tensors, beside those of the whole.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using pv::index_t;

namespace {

template <typename T>
pv::MutableTensor<T> random_elements(Random& random, pv::ShapeSpan shape, bool with_nan) {
    const auto x = pv::zeros<T>(shape);
    const index_t kind = random.between(0, 2);
    for (auto&& value : x) {
        if constexpr (std::floating_point<T>) {
            value = static_cast<T>(random.between(-1000, 1000)) / T{64};
            if (kind == 1) value = static_cast<T>(random.between(0, 2));
            if (kind == 2 && random.one_in(8)) value = std::numeric_limits<T>::infinity();
            if (with_nan && random.one_in(16)) value = std::numeric_limits<T>::quiet_NaN();
        } else {
            value = static_cast<T>(random.between(0, kind == 1 ? 2 : 120));
        }
    }
    return x;
}

pv::Shape shape_of(Random& random) {
    if (random.one_in(2)) return {random.one_in(4) ? random.between(0, 4) : random.between(0, 600)};
    pv::Shape shape;
    for (index_t left = random.between(2, 3); left > 0; --left)
        shape.push_back(random.one_in(5) ? random.between(0, 1) : random.between(1, 12));
    return shape;
}

template <typename T>
bool same_number(T a, T b) {
    return a == b || (a != a && b != b);
}
template <typename T>
bool same_numbers(const pv::Tensor<T>& a, const pv::Tensor<T>& b) {
    bool same = std::ranges::equal(a.shape(), b.shape());
    for (auto x = a.begin(), y = b.begin(); same && x != a.end(); ++x, ++y)
        same = same_number<T>(*x, *y);
    return same;
}

template <typename T>
void check_cumsum(Random& random) {
    for (int round = 0; round < 40; ++round) {
        const pv::Shape shape = shape_of(random);
        const pv::Tensor<T> whole = random_elements<T>(random, shape, random.one_in(4));
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const index_t axis = random.between(0, std::ssize(shape) - 1);
        INFO(to_string(d) << " along axis " << axis);
        const auto x = pm::distribute(whole, d);
        const auto sums = pm::cumsum(x, axis);
        CHECK(sums.distribution() == d);
        const auto expected = pv::cumsum(whole, axis);
        static_assert(
            std::same_as<decltype(pm::all_gather(sums)), std::remove_cvref_t<decltype(expected)>>);
        // Multiples of 1/64 are added exactly.
        CHECK(same_numbers<typename decltype(sums)::value_type>(pm::all_gather(sums), expected));
        const auto skipped = pm::cumsum(x, axis, pv::skip_nan);
        CHECK(same_numbers<typename decltype(sums)::value_type>(
            pm::all_gather(skipped), pv::cumsum(whole, axis, pv::skip_nan)));
    }
}

template <typename T>
void check_quantiles(Random& random) {
    constexpr pv::QuantileMethod kMethods[] = {
        pv::QuantileMethod::linear, pv::QuantileMethod::lower, pv::QuantileMethod::weibull,
        pv::QuantileMethod::midpoint};
    for (int round = 0; round < 40; ++round) {
        const pv::Shape shape = shape_of(random);
        const pv::Tensor<T> whole = random_elements<T>(random, shape, random.one_in(4));
        const pm::Distribution d = oracle::random_distribution(random, shape);
        INFO(to_string(d));
        const auto x = pm::distribute(whole, d);
        CHECK(same_number(pm::median(x), pv::median(whole)));
        CHECK(same_number(pm::median(x, pv::skip_nan), pv::median(whole, pv::skip_nan)));
        const double q = static_cast<double>(random.between(0, 64)) / 64;
        CHECK(same_number(pm::quantile(x, q), pv::quantile(whole, q)));
        CHECK(same_number(pm::quantile(x, q, pv::skip_nan), pv::quantile(whole, q, pv::skip_nan)));
        CHECK(same_number(pm::percentile(x, 99 * q), pv::percentile(whole, 99 * q)));
        std::vector<double> list{0, 1, q};
        for (index_t more = random.between(0, 20); more > 0; --more)
            list.push_back(static_cast<double>(random.between(0, 1000)) / 1000);
        const auto method = kMethods[random.between(0, 3)];
        using R = pv::Averaged<T>;
        CHECK(same_numbers<R>(pm::quantile(x, list, method), pv::quantile(whole, list, method)));
        CHECK(same_numbers<R>(pm::quantile(x, {0.25, 0.5, 0.125}),
                              pv::quantile(whole, {0.25, 0.5, 0.125})));
    }
}

} // namespace

TEST_CASE("cumulative sums go on where the lower rank ends") {
    Random random(21);
    check_cumsum<double>(random);
    check_cumsum<float>(random);
    check_cumsum<std::int32_t>(random);
    check_cumsum<std::uint8_t>(random);
    check_cumsum<bool>(random);
    const auto x = pm::distribute(pv::ones({4, 3}), pm::blocks({4, 3}, pm::Grid(oracle::world())));
    CHECK(pv::equals(pm::all_gather(pm::cumsum(x)), pv::cumsum(pv::ones({4, 3}))));
    CHECK_THROWS_AS(pm::cumsum(x, 2), pv::IndexError);
}

TEST_CASE("cumulative integers wrap over ranks as in one") {
    const index_t n = 23;
    const auto whole = pv::full({n}, std::numeric_limits<std::int64_t>::max() / 3);
    const auto x = pm::distribute(whole, pm::blocks({n}, pm::Grid(oracle::world())));
    CHECK(pv::equals(pm::all_gather(pm::cumsum(x)), pv::cumsum(whole)));
}

TEST_CASE("a histogram has the counts and the edges of the whole") {
    Random random(22);
    for (int round = 0; round < 40; ++round) {
        const pv::Shape shape = shape_of(random);
        const pv::Tensor<float> whole = pv::cast<float>(oracle::random_values(random, shape));
        const pm::Distribution d = oracle::random_distribution(random, shape);
        INFO(to_string(d));
        const auto x = pm::distribute(whole, d);
        const std::vector<double> edges{-3, 0, 0, 1.5, 40};
        for (const pv::Bins& bins :
             {pv::Bins(10), pv::Bins(7), pv::Bins(5, -2.0, 3.5), pv::Bins(edges)}) {
            const auto [counts, between] = pm::histogram(x, bins);
            const auto [expected, expected_edges] = pv::histogram(whole, bins);
            CHECK(pv::equals(counts, expected));
            CHECK(pv::equals(between, expected_edges));
        }
    }
    const auto integers = pm::distribute(pv::arange(100) | pv::reshape({10, 10}),
                                         pm::blocks({10, 10}, pm::Grid(oracle::world())));
    CHECK(pv::equals(pm::histogram(integers).counts, pv::full({10}, std::int64_t{10})));
}

TEST_CASE("bins that are none are refused on all ranks, and limits that are not finite") {
    const pm::Distribution d = pm::blocks({20}, pm::Grid(oracle::world()));
    const auto ones = pm::distribute(pv::ones({20}), d);
    CHECK_THROWS_AS(pm::histogram(ones, 0), pv::Error);
    CHECK_THROWS_AS(pm::histogram(ones, {3, 2.0, 1.0}), pv::Error);
    const auto whole = pv::ones({20});
    whole(3) = std::numeric_limits<double>::quiet_NaN();
    const std::string text =
        oracle::thrown<pv::Error>([&] { pm::histogram(pm::distribute(whole, d)); });
    CHECK_THAT(text, ContainsSubstring("not finite"));
    CHECK(pv::equals(pm::histogram(pm::distribute(whole, d), {2, 0.0, 2.0}).counts,
                     pv::histogram(whole, {2, 0.0, 2.0}).counts));
    if (oracle::world().size() > 1)
        CHECK_THROWS_AS(pm::histogram(ones, 3 + oracle::world().rank()), pm::DistributionError);
}

TEST_CASE("quantiles are those of the whole, bit by bit") {
    Random random(23);
    check_quantiles<double>(random);
    check_quantiles<float>(random);
    check_quantiles<std::int32_t>(random);
    check_quantiles<std::uint64_t>(random);
    check_quantiles<std::uint8_t>(random);
    check_quantiles<bool>(random);
    const auto x = pm::distribute(pv::ones({4, 3}), pm::blocks({4, 3}, pm::Grid(oracle::world())));
    CHECK_THROWS_AS(pm::quantile(x, 1.5), pv::Error);
    CHECK_THROWS_AS(pm::quantile(x, {0.5, -0.1}), pv::Error);
    CHECK_THROWS_WITH(pm::percentile(x, {50., 101.}), "percentile: 101 is not in [0, 100]");
    CHECK(pv::equals(pm::percentile(x, {10, 90}, pv::QuantileMethod::lower),
                     pm::quantile(x, {0.1, 0.9}, pv::QuantileMethod::lower)));
}

TEST_CASE("quantiles and histograms send no elements, and cumulative sums a number for each lane") {
    Random random(24);
    const index_t n = 5000;
    const auto x = pm::distribute(oracle::random_values(random, pv::Shape{n, 3}),
                                  pm::blocks({n, 3}, pm::Grid(oracle::world())));
    pm::reset_messages();
    pm::median(x);
    pm::histogram(x);
    CHECK(pm::messages().with_elements == 0);
    pm::cumsum(x, 1);
    CHECK(pm::messages().with_elements == 0);
    pm::cumsum(x, 0);
    const index_t steps = std::bit_width(static_cast<unsigned>(oracle::world().size() - 1));
    CHECK(pm::messages().with_elements <= steps);
    CHECK(pm::messages().elements_bytes ==
          pm::messages().with_elements * 3 * index_t{sizeof(double)});
}
