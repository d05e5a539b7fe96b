// sort and argsort of distributed tensors, beside those of the whole, bit by bit.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using pv::index_t;

namespace {

/// Whether two tensors have the same bits: -0 is not 0, and a NaN equals itself.
template <typename T>
bool same_bits(const pv::Tensor<T>& a, const pv::Tensor<T>& b) {
    if (!std::ranges::equal(a.shape(), b.shape())) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
        const T left = *x;
        const T right = *y;
        if (std::memcmp(&left, &right, sizeof(T)) != 0) return false;
    }
    return true;
}

template <typename T>
T random_element(Random& random, index_t kind) {
    if constexpr (std::floating_point<T>) {
        if (kind == 2) { // among NaNs of several bits, zeros of both signs, infinities
            constexpr T kInfinity = std::numeric_limits<T>::infinity();
            const T choices[] = {std::numeric_limits<T>::quiet_NaN(),
                                 -std::numeric_limits<T>::quiet_NaN(),
                                 T{0},
                                 -T{0},
                                 kInfinity,
                                 -kInfinity,
                                 T{1},
                                 T{-1}};
            return choices[random.between(0, 7)];
        }
        if (kind == 0) return static_cast<T>(random.between(-1000000, 1000000)) / T{64};
    }
    if (kind == 3) return T{};
    return static_cast<T>(random.between(0, kind == 0 ? 250 : 3));
}

template <typename T>
pv::MutableTensor<T> random_tensor(Random& random, pv::ShapeSpan shape) {
    const auto x = pv::zeros<T>(shape);
    const index_t kind = random.between(0, 5);
    for (auto&& value : x) value = random_element<T>(random, kind);
    if (kind < 4 || shape.size() != 1) return x;
    const pv::MutableTensor<T> sorted = pv::sort(x);
    if (kind == 4) return sorted;
    return pv::clone(pv::flip(sorted, {0}));
}

pv::Shape random_shape(Random& random) {
    if (random.one_in(2)) return {random.one_in(4) ? random.between(0, 4) : random.between(0, 600)};
    pv::Shape shape;
    for (index_t left = random.between(2, 3); left > 0; --left)
        shape.push_back(random.one_in(4) ? random.between(0, 1) : random.between(1, 12));
    return shape;
}

template <typename T>
void check_sorts(Random& random) {
    for (int round = 0; round < 40; ++round) {
        const pv::Shape shape = random_shape(random);
        const pv::Tensor<T> whole = random_tensor<T>(random, shape);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto order = random.one_in(2) ? pv::ascending : pv::descending;
        const index_t axis = random.between(0, std::ssize(shape) - 1);
        INFO(to_string(d) << " along axis " << axis << ", order " << static_cast<int>(order));
        const auto x = pm::distribute(whole, d);

        const auto sorted = pm::sort(x, axis, order);
        CHECK(sorted.distribution() == d);
        CHECK(same_bits<T>(pm::all_gather(sorted), pv::sort(whole, axis, order)));
        const auto indexes = pm::argsort(x, axis, order);
        CHECK(indexes.distribution() == d);
        CHECK(pv::equals(pm::all_gather(indexes), pv::argsort(whole, axis, order)));
        CHECK(same_bits<T>(pm::all_gather(x), whole)); // as it was
    }
}

/// How many bytes of elements all ranks send in `f`.
template <typename F>
index_t bytes_sent(F f) {
    pm::reset_messages();
    f();
    const index_t own = pm::messages().elements_bytes;
    const auto all = pm::all_gather(pm::from_local(
        pv::full({1}, own), pm::blocks({oracle::world().size()}, pm::Grid(oracle::world()))));
    return pv::sum(all);
}

} // namespace

TEST_CASE("sort and argsort give what they give of the whole") {
    Random random(11);
    check_sorts<double>(random);
    check_sorts<float>(random);
    check_sorts<std::int32_t>(random);
    check_sorts<std::uint64_t>(random);
    check_sorts<std::uint8_t>(random);
    check_sorts<std::int8_t>(random);
    check_sorts<bool>(random);
}

TEST_CASE("the last axis, ascending, is the default of sorting") {
    Random random(12);
    const auto whole = oracle::random_values(random, pv::Shape{7, 5});
    const auto x = pm::distribute(whole, pm::blocks({7, 5}, pm::Grid(oracle::world(), {1, -1})));
    CHECK(pv::equals(pm::all_gather(pm::sort(x)), pv::sort(whole)));
    CHECK(pv::equals(pm::all_gather(pm::argsort(x)), pv::argsort(whole)));
    CHECK(pv::equals(pm::all_gather(pm::sort(x, pv::descending)), pv::sort(whole, pv::descending)));
    CHECK(pv::equals(pm::all_gather(pm::argsort(x, pv::descending)),
                     pv::argsort(whole, pv::descending)));
    CHECK(pv::equals(pm::all_gather(pm::sort(x, -2)), pv::sort(whole, 0)));
    CHECK_THROWS_AS(pm::sort(x, 2), pv::IndexError);
    CHECK_THROWS_AS(pm::argsort(x, -3), pv::IndexError);
}

TEST_CASE("parts that lie backwards, or with gaps, are sorted") {
    Random random(13);
    const pm::Distribution d = pm::blocks({101}, pm::Grid(oracle::world()));
    const index_t own = d.local_shape()[0];
    const auto gaps = pv::zeros({2 * own});
    for (auto&& value : gaps) value = static_cast<double>(random.between(0, 9));
    const auto x =
        pm::from_local(pv::MutableTensor<double>(pv::flip(gaps(pv::range({}, {}, 2)), {0})), d);
    CHECK(pv::equals(pm::all_gather(pm::sort(x)), pv::sort(pm::all_gather(x))));
    CHECK(pv::equals(pm::all_gather(pm::argsort(x)), pv::argsort(pm::all_gather(x))));
}

TEST_CASE("each element is sent once, or twice where parts are cyclic") {
    Random random(14);
    const index_t n = 1000;
    const auto reversed = pv::zeros({n});
    for (index_t i = 0; i < n; ++i) reversed(i) = static_cast<double>(n - i);
    const pm::Grid grid(oracle::world());
    const index_t all_bytes = n * index_t{sizeof(double)};
    for (const auto& whole :
         {reversed, pv::zeros({n}), pv::MutableTensor<double>(pv::sort(reversed))}) {
        const auto x = pm::distribute(whole, pm::blocks({n}, grid));
        CHECK(bytes_sent([&] { pm::sort(x); }) <= all_bytes);
        CHECK(bytes_sent([&] { pm::argsort(x); }) <= 2 * all_bytes);
        const auto y = pm::distribute(whole, pm::cyclic({n}, grid, {3}));
        CHECK(bytes_sent([&] { pm::sort(y); }) <=
              3 * all_bytes); // the first time with their indexes
        CHECK(bytes_sent([&] { pm::argsort(y); }) <= 3 * all_bytes);
    }
    // What lies where it belongs is not sent at all: equal elements are told apart by their indexes.
    const auto equal = pm::distribute(pv::zeros({n}), pm::blocks({n}, grid));
    CHECK(bytes_sent([&] { pm::sort(equal); }) == 0);
    CHECK(bytes_sent([&] { pm::argsort(equal); }) == 0);
    const auto columns =
        pm::distribute(pv::zeros({n, 2}), pm::blocks({n, 2}, pm::Grid(oracle::world(), {1, -1})));
    CHECK(bytes_sent([&] { pm::sort(columns, 0); }) == 0);
    const auto rows = pm::distribute(pv::zeros({n, 8}), pm::blocks({n, 8}, grid));
    CHECK(bytes_sent([&] { pm::sort(rows, 0); }) <= 2 * 8 * all_bytes);
}

TEST_CASE("many elements, merged in several ranges on several threads") {
    Random random(15);
    const index_t n = 150'000;
    const pm::Grid grid(oracle::world());
    for (const index_t most : {index_t{3}, index_t{1} << 30}) {
        const auto whole = pv::zeros<std::int32_t>({n});
        for (auto&& value : whole) value = static_cast<std::int32_t>(random.between(-most, most));
        for (const auto& d : {pm::blocks({n}, grid), pm::cyclic({n}, grid, {1000})}) {
            const auto x = pm::distribute(whole, d);
            pm::reset_messages();
            const auto sorted = pm::sort(x, pv::descending);
            // No rank sends more than it has, or, in the second of two moves, than it gets.
            const index_t part = n / oracle::world().size() + 1000;
            CHECK(pm::messages().elements_bytes <=
                  (d.is_blocks() ? 1 : 2) * part * index_t{sizeof(std::int32_t)});
            CHECK(pv::equals(pm::all_gather(sorted), pv::sort(whole, pv::descending)));
            CHECK(pv::equals(pm::all_gather(pm::argsort(x)), pv::argsort(whole)));
        }
    }
}
