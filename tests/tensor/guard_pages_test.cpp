#include <support/catch.hpp>
#include <support/guarded_memory.hpp>
#include <support/tensors.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace guard_pages_test {

// Whole evaluations over memory that ends exactly at a page that may not be touched, or begins right
// behind one. (The kernels alone: engine/kernels_guard_test.cpp.)

namespace pv = purview;
using pv::index_t;

constexpr std::size_t kRoom = 1 << 18;

/// `n` elements in guarded memory; misaligned by `distance` bytes from the page they touch otherwise.
template <typename T>
class Array {
    using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

public:
    Array(const GuardedMemory& memory, index_t n, bool at_end, std::size_t distance)
        : data_(memory.place(static_cast<std::size_t>(n) * sizeof(T) + distance, at_end) +
                (at_end ? 0 : distance)),
          size_(n) {
        for (index_t i = 0; i < n; ++i) set(i, value(i));
    }

    /// Small whole numbers; true where odd. Of them all arithmetic is exact, for every type.
    static T value(index_t i) { return static_cast<T>(i % 5 % (std::is_same_v<T, bool> ? 2 : 5)); }

    T operator[](index_t i) const {
        Stored x;
        std::memcpy(&x, data_ + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        return static_cast<T>(x);
    }
    void set(index_t i, T x) {
        std::memcpy(data_ + static_cast<std::size_t>(i) * sizeof(T), &x, sizeof(T));
    }
    pv::MutableTensor<T> tensor(std::initializer_list<index_t> shape) {
        return pv::borrow(static_cast<T*>(static_cast<void*>(data_)), shape);
    }
    /// The index of the first element that is not `expected(i)`, or -1.
    template <typename F>
    index_t first_wrong(F expected) const {
        for (index_t i = 0; i < size_; ++i)
            if ((*this)[i] != static_cast<T>(expected(i))) return i;
        return -1;
    }

private:
    unsigned char* data_;
    index_t size_;
};

/// Calls f(n, at_end, distance) for sizes from 0 to 300, at both ends, aligned and not.
template <typename F>
void for_sizes(index_t step, F f) {
    for (index_t n = 0; n <= 300; n += n < 70 ? 1 : step)
        for (const bool at_end : {true, false})
            for (const std::size_t distance : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
                INFO("size " << n << " at end " << at_end << " distance " << distance);
                f(n, at_end, distance);
            }
}

template <typename T>
inline constexpr bool kIsNumber = !std::is_same_v<T, bool>;

#define GUARDED_TYPES                                                                      \
 bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, \
     std::uint32_t, std::uint64_t, float, double

TEMPLATE_TEST_CASE("Guard pages: copies, arithmetic, comparisons and sums", "", GUARDED_TYPES) {
    using T = TestType;
    const GuardedMemory x_memory(kRoom), y_memory(kRoom), out_memory(kRoom), bool_memory(kRoom);
    for_sizes(7, [&](index_t n, bool at_end, std::size_t distance) {
        Array<T> x(x_memory, n, at_end, distance), y(y_memory, n, at_end, 0),
            out(out_memory, n, at_end, distance);
        Array<bool> which(bool_memory, n, at_end, 0);
        for (index_t i = 0; i < n; ++i) y.set(i, Array<T>::value(i / 2 + 1));
        const auto a = x.tensor({n}), b = y.tensor({n}), to = out.tensor({n});

        pv::copy(b, to);
        CHECK(out.first_wrong([&](index_t i) { return y[i]; }) == -1);
        pv::copy(pv::where(a < b, a, b), to);
        CHECK(out.first_wrong([&](index_t i) { return x[i] < y[i] ? x[i] : y[i]; }) == -1);
        pv::copy(a == b, which.tensor({n}));
        CHECK(which.first_wrong([&](index_t i) { return x[i] == y[i]; }) == -1);

        std::int64_t sum = 0;
        for (index_t i = 0; i < n; ++i) sum += static_cast<std::int64_t>(x[i]);
        CHECK(static_cast<std::int64_t>(pv::sum(a)) == sum);
        if constexpr (kIsNumber<T>) {
            pv::copy(a * T{3} + b, to);
            CHECK(out.first_wrong([&](index_t i) { return x[i] * T{3} + y[i]; }) == -1);
            sum = 0;
            for (index_t i = 0; i < n; ++i) sum += static_cast<std::int64_t>(x[i] * y[i]);
            CHECK(static_cast<std::int64_t>(pv::sum(a * b)) == sum);
            if (n > 0) CHECK(pv::max(a) == static_cast<T>(n > 4 ? 4 : n - 1));
        }
        pv::fill(to, T{1});
        CHECK(out.first_wrong([](index_t) { return T{1}; }) == -1);
    });
}

TEMPLATE_TEST_CASE("Guard pages: casts", "", GUARDED_TYPES) {
    const GuardedMemory x_memory(kRoom), out_memory(kRoom);
    const auto check = [&]<typename To>(To) {
        for_sizes(17, [&](index_t n, bool at_end, std::size_t distance) {
            Array<TestType> x(x_memory, n, at_end, distance);
            Array<To> out(out_memory, n, at_end, distance);
            const auto expected = [&](index_t i) {
                return std::is_same_v<To, bool> ? static_cast<To>(x[i] != TestType{})
                                                : static_cast<To>(x[i]);
            };
            pv::copy(x.tensor({n}), out.tensor({n}));
            CHECK(out.first_wrong(expected) == -1);
            pv::fill(out.tensor({n}), To{});
            pv::copy(pv::unchecked_cast<To>(x.tensor({n})), out.tensor({n}));
            CHECK(out.first_wrong(expected) == -1);
        });
    };
    check(bool{});
    check(std::uint8_t{});
    check(std::int16_t{});
    check(std::int32_t{});
    check(std::uint64_t{});
    check(float{});
    check(double{});
}

TEMPLATE_TEST_CASE("Guard pages: views", "", GUARDED_TYPES) {
    using T = TestType;
    const GuardedMemory x_memory(kRoom), out_memory(kRoom);
    for (const index_t rows : {1, 2, 3, 8, 17, 64, 65})
        for (const index_t columns : {1, 2, 3, 4, 15, 32, 70})
            for (const bool at_end : {true, false})
                for (const std::size_t distance : {std::size_t{0}, std::size_t{1}}) {
                    INFO(rows << " x " << columns << " at end " << at_end << " distance "
                              << distance);
                    const index_t n = rows * columns;
                    Array<T> x(x_memory, n, at_end, distance);
                    const auto a = x.tensor({rows, columns});
                    {
                        Array<T> out(out_memory, n, at_end, distance);
                        pv::copy(a | pv::transpose({1, 0}), out.tensor({columns, rows}));
                        CHECK(out.first_wrong([&](index_t i) {
                            return x[i % rows * columns + i / rows];
                        }) == -1);
                        pv::copy(a, out.tensor({columns, rows}) | pv::transpose({1, 0}));
                        CHECK(out.first_wrong([&](index_t i) {
                            return x[i % rows * columns + i / rows];
                        }) == -1);
                        pv::copy(a | pv::rotate({1, 2}), out.tensor({rows, columns}));
                        CHECK(out.first_wrong([&](index_t i) {
                            const index_t row = (i / columns + rows - 1) % rows;
                            const index_t column = (i % columns + 2 * columns - 2) % columns;
                            return x[row * columns + column];
                        }) == -1);
                    }
                    {
                        Array<T> out(out_memory, 6 * n, at_end, distance);
                        pv::copy(a | pv::broadcast({2 * rows, 3 * columns}),
                                 out.tensor({2 * rows, 3 * columns}));
                        CHECK(out.first_wrong([&](index_t i) {
                            const index_t wide = 3 * columns;
                            return x[i / wide % rows * columns + i % wide % columns];
                        }) == -1);
                    }
                    // The lower right corner, every other column of it, and backwards.
                    for (const index_t step : {1, 2, -1, -2, -3}) {
                        const index_t from = columns / 3;
                        const index_t count =
                            (columns - from + std::abs(step) - 1) / std::abs(step);
                        const index_t height = rows - rows / 2;
                        const auto crop =
                            step > 0 ? a(pv::range(rows / 2, rows), pv::range(from, columns, step))
                                     : a(pv::range(rows / 2, rows),
                                         pv::range(columns - 1, from - 1 - columns, step));
                        INFO("step " << step);
                        Array<T> out(out_memory, height * count, at_end, distance);
                        const auto at = [&](index_t row, index_t k) {
                            const index_t column =
                                step > 0 ? from + k * step : columns - 1 + k * step;
                            return x[(row + rows / 2) * columns + column];
                        };
                        REQUIRE(crop.shape()[1] == count);
                        pv::copy(crop, out.tensor({height, count}));
                        CHECK(out.first_wrong(
                                  [&](index_t i) { return at(i / count, i % count); }) == -1);
                        std::int64_t sum = 0;
                        for (index_t i = 0; i < height * count; ++i)
                            sum += static_cast<std::int64_t>(at(i / count, i % count));
                        CHECK(static_cast<std::int64_t>(pv::sum(crop)) == sum);
                    }
                    for (const index_t axis : {0, 1}) {
                        const index_t kept = axis == 0 ? columns : rows;
                        using Sum = typename decltype(pv::sum(axis)(a))::value_type;
                        Array<Sum> out(out_memory, kept, at_end, 0);
                        pv::copy(a | pv::sum(axis), out.tensor({kept}));
                        CHECK(out.first_wrong([&](index_t i) {
                            Sum sum{};
                            for (index_t k = 0; k < n / kept; ++k)
                                sum = static_cast<Sum>(
                                    sum + static_cast<Sum>(axis == 0 ? x[k * columns + i]
                                                                     : x[i * columns + k]));
                            return sum;
                        }) == -1);
                    }
                }
}

} // namespace guard_pages_test
