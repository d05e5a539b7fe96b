#pragma once

#include <purview/base/wrapping.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/row_products.hpp>

#include "dtype/type_ids.hpp"
#include "engine/contract/row_accumulator.hpp"
#include "engine/pairs/entry_sort.hpp"
#include "engine/places/costs.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

namespace purview::inline v0_1::engine {

/// Products in the type that they are summed in.
template <typename R, typename T>
struct WideFactors {
    using Factor = T;
    using Sum = R;
    constexpr R operator()(T a, T b) const { return wrapping_product<R>(a, b); }
};
/// Products of integers of one width, which wrap in it before they are summed in 64 bits. `sign` is
/// the bit of the sign if the factors are signed, else 0.
template <std::unsigned_integral T>
struct WrappedProduct {
    using Factor = T;
    using Sum = std::uint64_t;
    Sum sign;
    constexpr Sum operator()(T a, T b) const { return (wrapping_product<T>(a, b) ^ sign) - sign; }
};

/// Whether integers or bools of a type are summed in int64, not uint64.
inline bool sums_are_signed(DType factors) {
    return !is_floating(factors.id()) && !is_unsigned(factors.id());
}

/// Calls `f` with the product of factors of a built-in type. Integers of one width share it.
template <typename F>
decltype(auto) visit_product(DType factors, F&& f) {
    if (!factors.is_builtin()) throw_dtype_unsupported("sum", factors);
    if (factors == float32) return f(WideFactors<float, float>{});
    if (factors == float64) return f(WideFactors<double, double>{});
    const std::uint64_t sign =
        sums_are_signed(factors) ? std::uint64_t{1} << (8 * factors.size_bytes() - 1) : 0;
    switch (factors.size_bytes()) {
    case 1: return f(WrappedProduct<std::uint8_t>{sign});
    case 2: return f(WrappedProduct<std::uint16_t>{sign});
    case 4: return f(WrappedProduct<std::uint32_t>{sign});
    default: return f(WrappedProduct<std::uint64_t>{sign});
    }
}

/// The first row that begins at or behind a point of the work of all rows, in which a row counts
/// one more than it has entries.
template <typename I>
index_t row_at(const I* pointers, index_t rows, index_t work) {
    return *std::ranges::lower_bound(
        std::views::iota(index_t{0}, rows), work, {},
        [=](index_t row) { return static_cast<index_t>(pointers[row]) + row; });
}

/// Calls `f(first, last)` for parts of the rows of a compressed matrix with about as many entries
/// each, on several threads where that pays.
template <typename I, typename F>
void for_row_parts(const I* pointers, index_t rows, double nanoseconds_per_entry, const F& f) {
    const index_t work = static_cast<index_t>(pointers[rows]) + rows;
    constexpr index_t kGrain = 8192;
    parallel_ranges(work, kGrain, static_cast<double>(work) * nanoseconds_per_entry,
                    [&](index_t begin, index_t end) {
                        const index_t first = row_at(pointers, rows, begin);
                        const index_t last = end == work ? rows : row_at(pointers, rows, end);
                        if (first < last) f(first, last);
                    });
}

/// With more columns, an array with a place for each would leave the caches.
inline constexpr index_t kDenseColumns = index_t{1} << 21;

/// How many entries ahead the rows of y that they are multiplied with are prefetched: 10⁷ products
/// take 156 ms instead of 178.
inline constexpr index_t kRowsAhead = 4;

/// Calls `f(column, product)` for each product that row `r` of x·y sums.
template <typename Product, typename T, typename I, typename F>
void for_products(Product product, const RowPointers<T, I>& x, const RowPointers<T, I>& y,
                  index_t r, const F& f) {
    const index_t stored = x.stored();
    for (index_t k = x.pointers[r]; k < x.pointers[r + 1]; ++k) {
        if (k + kRowsAhead < stored) {
            const index_t ahead = y.pointers[x.indices[k + kRowsAhead]];
            __builtin_prefetch(y.indices + ahead);
            __builtin_prefetch(y.values + ahead);
            __builtin_prefetch(y.values + ahead + 64 / sizeof(T));
        }
        const index_t row = x.indices[k];
        const T factor = load_element<T>(x.values + k);
        for (index_t j = y.pointers[row]; j < y.pointers[row + 1]; ++j)
            f(y.indices[j], product(factor, load_element<T>(y.values + j)));
    }
}

/// See `multiply_rows`. Throws `KindError` naming `what` where more than `most` entries would be
/// stored.
template <typename Product, typename T, typename I>
auto multiply_rows_by(const char* what, Product product, const RowPointers<T, I>& x,
                      const RowPointers<T, I>& y,
                      index_t most = std::numeric_limits<index_t>::max()) {
    using R = typename Product::Sum;
    // A row has at most as many entries as products, and as columns.
    std::vector<index_t> bounds(static_cast<std::size_t>(x.rows) + 1);
    index_t products = 0;
    for (index_t r = 0; r < x.rows; ++r) {
        index_t of_row = 0;
        for (index_t k = x.pointers[r]; k < x.pointers[r + 1]; ++k) {
            const index_t row = x.indices[k];
            of_row += y.pointers[row + 1] - y.pointers[row];
        }
        products += of_row;
        bounds[static_cast<std::size_t>(r) + 1] =
            bounds[static_cast<std::size_t>(r)] + std::min(of_row, y.columns);
    }

    const double cost = 8 * static_cast<double>(products);
    const bool dense = y.columns <= kDenseColumns && y.columns / 64 <= products + 64;
    const auto make = [&](index_t first, index_t last, I* indices, R* values, index_t* ends) {
        const auto sum_rows = [&](auto sums) {
            index_t made = 0;
            for (index_t r = first; r < last; ++r) {
                const auto at = static_cast<std::size_t>(r);
                // Rows without products are common where there are few entries.
                if (const index_t most_of_row = bounds[at + 1] - bounds[at]; most_of_row > 0) {
                    sums.prepare(most_of_row);
                    for_products(product, x, y, r,
                                 [&](I column, R value) { sums.add(column, value); });
                    made += sums.take(indices + made, values + made);
                }
                ends[r - first] = made;
            }
        };
        if (dense)
            sum_rows(DenseAccumulator<I, R>(y.columns));
        else
            sum_rows(HashAccumulator<I, R>());
    };
    // Where many products may be added to one entry, room for all of them could be more than there
    // is: entries are counted first.
    if (bounds.back() > 8 * (x.stored() + y.stored()) + (1 << 20))
        bounds = counted_rows<R, I>(bounds, make);
    if (bounds.back() > most) throw_too_many_entries(what);
    return make_rows<R, I>(what, bounds, cost, make);
}

/// How many entries ahead elements of the vector are prefetched: far enough to hide the latency of
/// the third-level cache.
inline constexpr index_t kAhead = 64;

/// Products of a row that are added up on their own before they join its sum: long rows of floats
/// would lose digits otherwise.
inline constexpr index_t kRounded = 1024;

template <typename Product, typename T, typename I>
void rows_times_vector(Product product, const RowPointers<T, I>& x, const T* vector,
                       typename Product::Sum* out) {
    for_row_parts(x.pointers, x.rows, costs::kSparseRowEntry, [&](index_t first, index_t last) {
        const I* const indices = x.indices;
        const T* const values = x.values;
        index_t k = x.pointers[first];
        const index_t prefetched = static_cast<index_t>(x.pointers[last]) - kAhead;
        for (index_t r = first; r < last; ++r) {
            const index_t end = x.pointers[r + 1];
            const auto sum_to = [&](index_t last_entry) {
                typename Product::Sum sum{};
                for (; k < last_entry; ++k) {
                    if (k < prefetched) __builtin_prefetch(vector + indices[k + kAhead]);
                    sum =
                        wrapping_sum(sum, product(load_element<T>(values + k), vector[indices[k]]));
                }
                return sum;
            };
            out[r] = sum_to(std::min(end, k + kRounded));
            while (k < end) out[r] = wrapping_sum(out[r], sum_to(std::min(end, k + kRounded)));
        }
    });
}

/// out[0, n) += value · row[0, n)
template <typename Product, typename R, typename T>
void add_scaled(Product product, R* __restrict out, T value, const T* __restrict row, index_t n) {
    for (index_t j = 0; j < n; ++j) out[j] = wrapping_sum(out[j], product(value, row[j]));
}

/// See `multiply_rows_by_dense`.
template <typename Product, typename T, typename I>
void rows_times_dense(Product product, const RowPointers<T, I>& x, const T* dense,
                      index_t row_stride, index_t n, typename Product::Sum* out) {
    using R = typename Product::Sum;
    if (n == 1 && row_stride == 1) return rows_times_vector(product, x, dense, out);
    const double cost = costs::kSparseRowEntry + costs::kSparseRowColumn * static_cast<double>(n);
    const index_t stored = x.stored();
    for_row_parts(x.pointers, x.rows, cost, [&](index_t first, index_t last) {
        std::fill(out + first * n, out + last * n, R{});
        for (index_t r = first; r < last; ++r)
            for (index_t k = x.pointers[r]; k < x.pointers[r + 1]; ++k) {
                if (k + 8 < stored) __builtin_prefetch(dense + x.indices[k + 8] * row_stride);
                add_scaled(product, out + r * n, load_element<T>(x.values + k),
                           dense + x.indices[k] * row_stride, n);
            }
    });
}

} // namespace purview::engine
