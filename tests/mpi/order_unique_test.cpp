// unique and unique_all of distributed tensors, beside those of the whole.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using pv::index_t;

namespace {

template <typename T>
pv::MutableTensor<T> elements_of_few(Random& random, pv::ShapeSpan shape, index_t most) {
    const auto x = pv::zeros<T>(shape);
    for (auto&& value : x) {
        if constexpr (std::floating_point<T>) {
            value = static_cast<T>(random.between(-most, most)) / T{4};
            if (random.one_in(6)) value = random.one_in(2) ? -T{0} : T{0};
            if (random.one_in(9))
                value = (random.one_in(2) ? T{1} : T{-1}) * std::numeric_limits<T>::quiet_NaN();
        } else {
            value = static_cast<T>(random.between(std::is_signed_v<T> ? -most : 0, most));
        }
    }
    return x;
}

/// Bit by bit, so that -0 is not 0; but a NaN is a NaN.
template <typename T>
bool same_elements(const pv::Tensor<T>& a, const pv::Tensor<T>& b) {
    if (!std::ranges::equal(a.shape(), b.shape())) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
        const T left = *x;
        const T right = *y;
        if (left != left && right != right) continue;
        if (std::memcmp(&left, &right, sizeof(T)) != 0) return false;
    }
    return true;
}

template <typename T>
void check_unique(Random& random) {
    for (int round = 0; round < 30; ++round) {
        const pv::Shape shape =
            random.one_in(3)
                ? pv::Shape{random.between(0, 9), random.between(1, 9), random.between(1, 4)}
                : pv::Shape{random.one_in(4) ? random.between(0, 4) : random.between(0, 400)};
        const pv::Tensor<T> whole = elements_of_few<T>(random, shape, random.one_in(2) ? 3 : 100);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        INFO(to_string(d));
        const auto x = pm::distribute(whole, d);

        const auto values = pm::unique(x);
        const auto expected = pv::unique(whole);
        static_assert(std::same_as<decltype(values), decltype(expected)>);
        CHECK(same_elements<T>(values, expected));

        const auto all = pm::unique_all(x);
        const auto expected_all = pv::unique_all(whole);
        CHECK(same_elements<T>(all.values, expected_all.values));
        CHECK(pv::equals(all.first_indexes, expected_all.first_indexes));
        CHECK(pv::equals(all.counts, expected_all.counts));
        CHECK(all.inverse.distribution() == d);
        CHECK(pv::equals(pm::all_gather(all.inverse), expected_all.inverse));
    }
}

} // namespace

TEST_CASE("distinct elements of all ranks are those of the whole") {
    Random random(41);
    check_unique<double>(random);
    check_unique<float>(random);
    check_unique<std::int64_t>(random);
    check_unique<std::uint64_t>(random);
    check_unique<std::int32_t>(random);
    check_unique<std::uint16_t>(random);
    check_unique<std::int8_t>(random);
    check_unique<std::uint8_t>(random);
    check_unique<bool>(random);
}

TEST_CASE("extreme integers are distinct elements") {
    constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();
    const auto whole = pv::tensor({kHighest, std::int64_t{0}, kLowest, kHighest, std::int64_t{-1}});
    const auto x = pm::distribute(whole, pm::cyclic({5}, pm::Grid(oracle::world()), {1}));
    const auto [values, first, inverse, counts] = pm::unique_all(x);
    CHECK(pv::equals(values, pv::tensor({kLowest, std::int64_t{-1}, std::int64_t{0}, kHighest})));
    CHECK(pv::equals(first, pv::tensor<std::int64_t>({2, 4, 1, 0})));
    CHECK(pv::equals(counts, pv::tensor<std::int64_t>({1, 1, 1, 2})));
    CHECK(pv::equals(pm::all_gather(inverse), pv::tensor<std::int64_t>({3, 2, 0, 3, 1})));
}

TEST_CASE("the zero that comes first in the whole stands for both") {
    // Each rank has a column: the last one has the first of the zeros, in the first row.
    const index_t ranks = oracle::world().size();
    const pm::Distribution d = pm::blocks({2, ranks}, pm::Grid(oracle::world(), {1, -1}));
    for (const bool begins_negative : {false, true}) {
        const auto whole = pv::ones({2, ranks});
        whole(0, ranks - 1) = begins_negative ? -0.0 : 0.0;
        whole(1, 0) = begins_negative ? 0.0 : -0.0;
        const auto x = pm::distribute(whole, d);
        CHECK(std::signbit(pm::unique(x)(0)) == begins_negative);
        CHECK(std::signbit(pm::unique_all(x).values(0)) == begins_negative);
        CHECK(std::signbit(pv::unique(whole)(0)) == begins_negative);
    }
}

TEST_CASE("parts that lie backwards, or with gaps, have their distinct elements") {
    const pm::Distribution d = pm::blocks({101}, pm::Grid(oracle::world()));
    const index_t own = d.local_shape()[0];
    const auto gaps = pv::zeros({2 * own});
    for (index_t i = 0; i < own; ++i) gaps(2 * i) = static_cast<double>(i % 7);
    const auto x =
        pm::from_local(pv::MutableTensor<double>(pv::flip(gaps(pv::range({}, {}, 2)), {0})), d);
    const auto found = pm::unique_all(x);
    const auto expected = pv::unique_all(pm::all_gather(x));
    CHECK(pv::equals(found.values, expected.values));
    CHECK(pv::equals(found.first_indexes, expected.first_indexes));
    CHECK(pv::equals(found.counts, expected.counts));
    CHECK(pv::equals(pm::all_gather(found.inverse), expected.inverse));
}

TEST_CASE("unique of a whole names that of ranks, which have to call the same one") {
    const auto x = pm::distribute(pv::arange(10.), pm::blocks({10}, pm::Grid(oracle::world())));
    const std::string text = oracle::thrown<pm::DistributionError>([&] { pv::unique(x.global()); });
    CHECK_THAT(text, ContainsSubstring("purview::mpi::unique "));
    if (oracle::world().size() == 1) return;
    const auto y = pm::distribute(pv::ones({10}), x.distribution());
    const bool is_first = oracle::world().rank() == 0;
    CHECK_THROWS_AS(is_first ? (void)pm::unique(x) : (void)pm::unique_all(x),
                    pm::DistributionError);
    CHECK_THROWS_AS(pm::unique(is_first ? x : y), pm::DistributionError);
    CHECK(pv::equals(pm::unique(x), pv::arange(10.)));
}
