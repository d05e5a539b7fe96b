#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

// Many short lanes are sorted side by side (engine/order/short_sorts.hpp).

namespace short_sorts_test {

namespace {

namespace pv = purview;
using pv::index_t;

/// NaN is behind everything.
template <typename T>
bool comes_before(T a, T b, bool descending) {
    if constexpr (std::floating_point<T>)
        if (a != a || b != b) return a == a;
    return descending ? b < a : a < b;
}

/// Elements of one of five kinds.
template <typename T>
std::vector<T> some_elements(std::mt19937_64& engine, std::size_t count) {
    using Limits = std::numeric_limits<T>;
    const std::uint64_t kind = engine() % 5;
    std::vector<T> values(count);
    for (T& x : values) {
        const std::uint64_t word = engine();
        if (kind == 0) {
            std::memcpy(&x, &word, sizeof x); // any bits, NaNs among them
        } else if (kind == 1) {
            x = static_cast<T>(static_cast<T>(word % 7) - T{3});
        } else if (kind == 2) {
            const T kinds[] = {Limits::max(), Limits::lowest(),    static_cast<T>(-T{0}),
                               T{0},          Limits::quiet_NaN(), Limits::infinity()};
            x = kinds[word % std::size(kinds)];
        } else if (kind == 3) { // a wide range, in which most differ in their last bits only
            x = static_cast<T>(Limits::max() / 2 + static_cast<T>(word % 100));
        } else {
            x = static_cast<T>(static_cast<double>(word % 1'000'003) / 8192);
        }
    }
    if (kind == 3) values.front() = Limits::lowest();
    return values;
}

template <typename T>
std::vector<index_t> naive_order(const T* lane, index_t length, bool descending) {
    std::vector<index_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return comes_before(lane[a], lane[b], descending);
    });
    return order;
}

/// The same bits.
template <typename T>
bool identical(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename T>
void check_lanes(const std::vector<T>& values, index_t lanes, index_t length) {
    const pv::Tensor<T> rows = pv::reshape(pv::tensor(std::vector<T>(values)), {lanes, length});
    const pv::Tensor<T> columns = pv::clone(pv::transpose(rows));
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        std::vector<index_t> indexes;
        std::vector<T> sorted;
        for (index_t lane = 0; lane < lanes; ++lane) {
            const T* const at = values.data() + lane * length;
            for (const index_t i : naive_order(at, length, order == pv::descending)) {
                indexes.push_back(i);
                sorted.push_back(at[i]);
            }
        }
        const pv::AnyTensor any(rows);
        CHECK(pv::to_vector(pv::argsort(rows, order)) == indexes);
        CHECK(identical(pv::to_vector(pv::sort(rows, order)), sorted));
        CHECK(identical(pv::to_vector(pv::Tensor<T>(pv::sort(any, order).operand())), sorted));
        // Along the other axis, of a view, and of what is computed.
        CHECK(pv::to_vector(pv::transpose(pv::argsort(columns, 0, order))) == indexes);
        CHECK(identical(pv::to_vector(pv::transpose(pv::sort(columns, 0, order))), sorted));
        CHECK(identical(pv::to_vector(pv::sort(pv::transpose(columns), order)), sorted));
        if constexpr (std::integral<T>) {
            const auto computed = rows + pv::Tensor<T>(pv::zeros<T>(rows.shape()));
            CHECK(pv::to_vector(pv::argsort(computed, order)) == indexes);
        }
    }
}

} // namespace

TEMPLATE_TEST_CASE("sort and argsort: many short lanes, of every type", "", std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double) {
    std::mt19937_64 engine(21);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const bool is_long = engine() % 4 == 0;
        const auto length = static_cast<index_t>(engine() % (is_long ? 258 : 40) + 1);
        const auto lanes = static_cast<index_t>(engine() % (is_long ? 8 : 70) + 1);
        INFO("lanes " << lanes << " of " << length);
        check_lanes(some_elements<TestType>(engine, static_cast<std::size_t>(lanes * length)),
                    lanes, length);
    }
}

TEST_CASE("sort and argsort: short lanes of bools") {
    std::mt19937_64 engine(22);
    for (const index_t length : {1, 2, 9, 64}) {
        const index_t lanes = 37;
        pv::MutableTensor<bool> x = pv::zeros<bool>({lanes, length});
        std::vector<std::uint8_t> values;
        for (index_t i = 0; i < lanes * length; ++i) {
            values.push_back(static_cast<std::uint8_t>(engine() % 2));
            x(i / length, i % length) = values.back() != 0;
        }
        for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
            const auto indexes = pv::argsort(x, order);
            const auto sorted = pv::sort(x, order);
            for (index_t lane = 0; lane < lanes; ++lane) {
                const std::uint8_t* const at = values.data() + lane * length;
                const auto expected = naive_order(at, length, order == pv::descending);
                for (index_t i = 0; i < length; ++i) {
                    const index_t from = expected[static_cast<std::size_t>(i)];
                    CHECK(indexes(lane, i) == from);
                    CHECK(sorted(lane, i) == (at[from] != 0));
                }
            }
        }
    }
}

TEST_CASE("sort and argsort of short lanes do not depend on the number of threads") {
    std::mt19937_64 engine(23);
    for (const index_t length : {5, 16, 100}) {
        const index_t lanes = 200'000 / length;
        std::vector<double> values(static_cast<std::size_t>(lanes * length));
        for (double& x : values) x = static_cast<double>(engine() % 1000) - 500;
        const auto rows = pv::reshape(pv::tensor(std::vector<double>(values)), {lanes, length});
        pv::set_threads(1);
        const auto sorted = pv::to_vector(pv::sort(rows));
        const auto indexes = pv::to_vector(pv::argsort(rows, pv::descending));
        for (const int threads : {2, 5}) {
            pv::set_threads(threads);
            CHECK(pv::to_vector(pv::sort(rows)) == sorted);
            CHECK(pv::to_vector(pv::argsort(rows, pv::descending)) == indexes);
        }
        pv::set_threads(0);
    }
}

} // namespace short_sorts_test
