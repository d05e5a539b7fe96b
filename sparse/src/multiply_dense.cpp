// Defines purview/sparse/multiply.hpp.

#include <purview/base/wrapping.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/sparse/multiply.hpp>
#include <purview/tensor/copy.hpp>

#include "row_entries.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

template <typename T, typename I, typename R>
void columns_times_vector(const CompressedPointers<T, I>& a, const T* x, R* out) {
    std::fill(out, out + a.rows, R{});
    for (index_t c = 0; c < a.columns; ++c)
        for (index_t k = a.pointers[c]; k < a.pointers[c + 1]; ++k) {
            R& place = out[a.indices[k]];
            place = wrapping_sum(place, wrapping_product<R>(load_element<T>(a.values + k), x[c]));
        }
}

/// out[0, n) += value · row[0, n)
template <typename R, typename T>
void add_scaled(R* __restrict out, T value, const T* __restrict row, index_t n) {
    for (index_t j = 0; j < n; ++j)
        out[j] = wrapping_sum(out[j], wrapping_product<R>(value, row[j]));
}

template <typename T, typename I, typename R>
void columns_times_matrix(const CompressedPointers<T, I>& a, const T* x, index_t n, R* out) {
    // Each part multiplies all entries with some columns of the dense matrix: no two parts write to
    // one place.
    constexpr index_t kPanel = 8;
    const double cost = static_cast<double>(a.stored) * (1.2 + 0.3 * static_cast<double>(n));
    parallel_ranges(n, kPanel, cost, [&](index_t first, index_t last) {
        for (index_t r = 0; r < a.rows; ++r)
            std::fill(out + r * n + first, out + r * n + last, R{});
        for (index_t c = 0; c < a.columns; ++c)
            for (index_t k = a.pointers[c]; k < a.pointers[c + 1]; ++k)
                add_scaled<R>(out + a.indices[k] * n + first, load_element<T>(a.values + k),
                              x + c * n + first, last - first);
    });
}

} // namespace

void check_product(ShapeSpan x, ShapeSpan y) {
    const auto is_factor = [](ShapeSpan shape) { return shape.size() == 1 || shape.size() == 2; };
    if (!is_factor(x) || !is_factor(y) || x.back() != y.front())
        throw ShapeError(
            fmt::format("matmul: shapes {} and {} do not fit", to_string(x), to_string(y)));
}

template <typename T, typename I, Major M>
MutableTensor<Accumulated<T>> multiply_dense(const CompressedMatrix<T, I, M>& matrix,
                                             const Tensor<T>& dense) {
    using R = Accumulated<T>;
    const Tensor<T> x = contiguous(dense);
    const T* const in = as_span(x).data();
    if (dense.rank() == 1) {
        const MutableTensor<R> result = empty<R>({matrix.rows()});
        if constexpr (M == Major::row)
            multiply_rows_by_dense(sparse::rows_of(matrix), in, 1, 1, as_span(result).data());
        else
            columns_times_vector(matrix.raw(), in, as_span(result).data());
        return result;
    }
    const index_t n = dense.extent(1);
    const MutableTensor<R> result = empty<R>({matrix.rows(), n});
    if (n == 0) return result;
    if constexpr (M == Major::row)
        multiply_rows_by_dense(sparse::rows_of(matrix), in, n, n, as_span(result).data());
    else
        columns_times_matrix(matrix.raw(), in, n, as_span(result).data());
    return result;
}

#define PURVIEW_MAKE_PRODUCTS(T)                  \
 PURVIEW_SPARSE_DENSE_PRODUCTS(, T, std::int32_t) \
 PURVIEW_SPARSE_DENSE_PRODUCTS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_PRODUCTS)
#undef PURVIEW_MAKE_PRODUCTS

} // namespace purview
