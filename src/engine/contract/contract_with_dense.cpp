// Defines engine/contract/contract_sparse.hpp.

#include <purview/dimensions/reshape.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/contract/compact_rows.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/pairs_times_matrix.hpp"
#include "engine/contract/pairs_times_vector.hpp"
#include "engine/contract/row_products.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/sparse/assign.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// A dense factor as a matrix in memory, whose rows are contiguous.
template <typename T>
struct DenseRows {
    const T* first = nullptr;
    index_t rows = 0;
    index_t columns = 0;
    index_t stride = 0; ///< from row to row, in elements
    BufferPtr<T> own;   ///< holds it, unless it was in memory already

    bool is_finite() const {
        if (stride == columns) return are_finite(first, rows * columns);
        for (index_t r = 0; r < rows; ++r)
            if (!are_finite(first + r * stride, columns)) return false;
        return true;
    }
};

/// An operand of shape `[rows…, columns…]` in place, if it is in memory and its rows are
/// contiguous.
template <typename T>
std::optional<DenseRows<T>> rows_in_memory(const Operand& operand, index_t rows) {
    const index_t columns = operand.dims.size() / rows;
    if (operand.dtype() == kDType<bool>) return {}; // in foreign bytes, any but 0 is true
    const Factor matrix =
        factor_at({operand.node, dimensions::reshape(operand.dims, Shape{rows, columns})});
    if (matrix.memory == nullptr || (columns > 1 && matrix.strides[1] != 1)) return {};
    return DenseRows<T>{reinterpret_cast<const T*>(matrix.memory), rows, columns,
                        rows == 1 ? columns : matrix.strides[0], nullptr};
}

/// As `rows_in_memory`, for any operand: copied or computed if need be, unless it is too large.
template <typename T>
std::optional<DenseRows<T>> rows_of_dense(const Operand& operand, index_t rows) {
    std::optional<DenseRows<T>> result = rows_in_memory<T>(operand, rows);
    if (result && (result->columns > 1 || result->stride == 1)) return result;
    if (operand.dims.size() > kLargestDenseOfSparse) return {};
    BufferPtr<T> own = allocate_uninitialized_buffer<T>(operand.dims.size());
    assign_on_cpu(operand, {memory_leaf(operand.dtype(), data_of(own), own->size()),
                            Dimensions::row_major(operand.dims.max_shape())});
    const index_t columns = own->size() / rows;
    const T* const first = data_of(own);
    return DenseRows<T>{first, rows, columns, columns, std::move(own)};
}

/// The dense factor after summing the axes that are summed in it alone.
SummedFactor without_own_sums(const FactorPair& pair, const PartSums& sums) {
    if (pair.of_y() == 0) return pair.y;
    const AxisSet kept = pair.y.axes & ~pair.of_y();
    const Operand apart =
        over_axes(pair.y.operand, in_order({pair.batch(), pair.k(), pair.n(), pair.of_y()}));
    return {{sums.made(apart, pair.extent_of(kept)),
             packed_over(pair.shape, in_order({pair.batch(), pair.k(), pair.n()}))},
            kept};
}

/// Column k of row i of x becomes i / rows_per_batch · columns + k: the row of y that it is
/// multiplied with. Returns pointers of all `rows` rows of x.
template <typename T>
std::vector<index_t> match_columns_to_all_rows(CompactRows<T>& x, index_t rows,
                                               index_t rows_per_batch) {
    index_t* const column = x.column();
    std::vector<index_t> pointers(static_cast<std::size_t>(rows) + 1, 0);
    for (std::size_t r = 0; r < x.rows.size(); ++r) {
        const index_t first = x.rows[r] / rows_per_batch * x.columns;
        if (first != 0)
            for (index_t p = x.pointers[r]; p < x.pointers[r + 1]; ++p) column[p] += first;
        pointers[static_cast<std::size_t>(x.rows[r]) + 1] = x.pointers[r + 1];
    }
    // Rows without entries end where the one before them does.
    for (std::size_t r = 0; r + 1 < pointers.size(); ++r)
        pointers[r + 1] = std::max(pointers[r], pointers[r + 1]);
    return pointers;
}

/// Where most of the time would go into transposing the dense factor and the result, multiplies
/// with one row of the dense factor after the other, as they are in memory. Returns false, with
/// nothing written, in other cases, and where the dense factor is not finite.
template <typename Product, typename T>
bool multiply_by_columns(Product product, const FactorPair& pair, const SummedFactor& y,
                         const RowPointers<T, index_t>& x, typename Product::Sum* out) {
    const AxisSet n = pair.n();
    const AxisSet k = pair.k();
    if (pair.batch() != 0 || n == 0 || !pair.view_of({n, pair.m()}).is_identity() ||
        x.stored() > pair.extent_of(k) + pair.extent_of(pair.m()))
        return false;
    const std::optional<DenseRows<T>> dense =
        rows_in_memory<T>(over_axes(y.operand, in_order({n, k})), pair.extent_of(n));
    if (!dense || !dense->is_finite()) return false;
    for (index_t row = 0; row < dense->rows; ++row)
        rows_times_vector(product, x, dense->first + row * dense->stride, out + row * x.rows);
    return true;
}

template <typename R>
void multiply_all(R* values, index_t count, index_t by) {
    if (by == 1) return;
    for (index_t i = 0; i < count; ++i) values[i] = repeated_sum(values[i], by);
}

/// A sparse matrix times a dense vector. If the sum of a row is finite, so are its entries: entries
/// are checked only where some sum is not finite. `by_columns`: the entries of x are those of its
/// transpose, in row-major order.
template <typename Product>
bool multiply_by_vector(Product product, const FactorPair& pair, const SparseFactor& x,
                        bool by_columns, const SummedFactor& y, typename Product::Sum* out) {
    using T = typename Product::Factor;
    const T* const values = x.value<T>();
    const index_t rows = pair.extent_of(pair.m());
    const index_t columns = pair.extent_of(pair.k());
    const std::optional<DenseRows<T>> vector =
        rows_of_dense<T>(over_axes(y.operand, in_order({pair.k()})), columns);
    if (!vector || !vector->is_finite()) return false;
    std::fill(out, out + rows, typename Product::Sum{});
    if (by_columns)
        vector_times_pairs(product, x.index(), values, x.stored(), rows, vector->first, out);
    else
        pairs_times_vector(product, x.index(), values, x.stored(), columns, vector->first, out);
    if (!are_finite(out, rows) && !are_finite(values, x.stored())) return false;
    multiply_all(out, rows, pair.repeats());
    return true;
}

/// Whether pairs are multiplied as they are, without compressed rows, which would be a copy: those
/// of one matrix times a dense one, unless `multiply_by_columns` may be better.
bool is_matrix_by_matrix(const FactorPair& pair, const SparseFactor& x) {
    const AxisSet m = pair.m();
    const AxisSet k = pair.k();
    const AxisSet n = pair.n();
    return pair.scale == 1 && (pair.batch() | pair.of_x()) == 0 && m != 0 && k != 0 && n != 0 &&
           (x.stored() > pair.extent_of(k) + pair.extent_of(m) ||
            !pair.view_of({n, m}).is_identity());
}

/// The pairs of a matrix, x, in memory in the order of its transpose, if not in its own.
std::optional<SparseFactor> transposed_in_memory(const FactorPair& pair) {
    if ((pair.batch() | pair.of_x()) != 0 || pair.extent_of(pair.m()) == 1 ||
        SparseFactor::in_memory(over_axes(pair.x.operand, in_order({pair.m(), pair.k()}))))
        return {};
    return SparseFactor::in_memory(over_axes(pair.x.operand, in_order({pair.k(), pair.m()})));
}

/// Has a product over the axes of batch, m and n written in this order: to `out`, or to memory of
/// its own that is then copied there. `count`: elements over these axes.
template <typename R, typename Multiply>
void write_product(const FactorPair& pair, index_t count, index_t groups, R* out,
                   Multiply&& multiply) {
    const Dimensions view = pair.view_of({pair.batch(), pair.m(), pair.n()});
    const BufferPtr<R> staged =
        view.is_identity() ? nullptr : allocate_uninitialized_buffer<R>(count);
    R* const values = staged == nullptr ? out : data_of(staged);
    multiply(values);
    multiply_all(values, count, pair.repeats());
    if (staged != nullptr)
        assign_on_cpu(operand_over(staged, view), {memory_leaf(kDType<R>, out, groups),
                                                   Dimensions::row_major(view.max_shape())});
}

/// See `is_matrix_by_matrix`. `by_columns`: the entries of x are those of its transpose, in
/// row-major order.
template <typename Product>
bool multiply_pairs(Product product, const FactorPair& pair, const SparseFactor& x, bool by_columns,
                    const SummedFactor& y, index_t groups, typename Product::Sum* out) {
    using T = typename Product::Factor;
    const T* const values = x.value<T>();
    const index_t rows = pair.extent_of(pair.m());
    const index_t columns = pair.extent_of(pair.k());
    if (!are_finite(values, x.stored())) return false;
    const std::optional<DenseRows<T>> dense =
        rows_of_dense<T>(over_axes(y.operand, in_order({pair.k(), pair.n()})), columns);
    if (!dense || !dense->is_finite()) return false;
    const RowsInMemory<T> factor{dense->first, dense->stride, dense->columns};
    write_product(pair, rows * dense->columns, groups, out, [&](auto* sums) {
        if (by_columns)
            transposed_pairs_times_matrix(product, x.index(), values, x.stored(), rows, factor,
                                          sums);
        else
            pairs_times_matrix(product, x.index(), values, x.stored(), rows, columns, factor, sums);
    });
    return true;
}

template <typename Product>
bool multiply(const FactorPair& pair, bool by_vector, index_t groups, const PartSums& sums,
              Product product, void* result) {
    using T = typename Product::Factor;
    using R = typename Product::Sum;
    auto* const out = static_cast<R*>(result);
    const AxisSet batch = pair.batch();
    const AxisSet m = pair.m();
    const AxisSet k = pair.k();
    const AxisSet of_x = pair.of_x();
    const Operand by_rows = over_axes(pair.x.operand, in_order({batch, m, k, of_x}));
    auto factor = transposed_in_memory(pair);
    if (factor && !by_vector && !is_matrix_by_matrix(pair, *factor)) factor.reset();
    const bool by_columns = factor.has_value();
    if (!factor) factor = SparseFactor::of(by_rows);
    if (!factor) return false;
    const SummedFactor dense_factor = without_own_sums(pair, sums);
    if (by_vector) return multiply_by_vector(product, pair, *factor, by_columns, dense_factor, out);
    if (is_matrix_by_matrix(pair, *factor))
        return multiply_pairs(product, pair, *factor, by_columns, dense_factor, groups, out);
    std::optional<CompactRows<T>> entries = compact_rows<T>(
        *factor, pair.extent_of(k), pair.extent_of(of_x), !pair.is_narrow(), pair.scale);
    factor.reset();
    if (!entries) return false;
    const index_t rows = pair.extent_of(batch) * pair.extent_of(m);
    const std::vector<index_t> pointers =
        match_columns_to_all_rows(*entries, rows, pair.extent_of(m));
    const RowPointers<T, index_t> x{rows, pair.extent_of(batch) * pair.extent_of(k),
                                    pointers.data(), entries->column(), entries->value()};
    if (multiply_by_columns(product, pair, dense_factor, x, out)) {
        multiply_all(out, groups, pair.repeats());
        return true;
    }
    const std::optional<DenseRows<T>> y = rows_of_dense<T>(
        over_axes(dense_factor.operand, in_order({batch, k, pair.n()})), x.columns);
    if (!y || !y->is_finite()) return false;
    write_product(pair, rows * y->columns, groups, out, [&](R* results) {
        rows_times_dense(product, x, y->first, y->stride, y->columns, results);
    });
    return true;
}

} // namespace

bool is_transposed_in_memory(const FactorPair& pair) {
    const std::optional<SparseFactor> transposed = transposed_in_memory(pair);
    return transposed && is_matrix_by_matrix(pair, *transposed);
}

bool contract_with_dense(const SparseWay& way, index_t groups, const PartSums& sums, void* out) {
    const bool by_vector = way.kind == SparseWay::Kind::dense_vector;
    return visit_product(way.pair->x.operand.dtype(), [&](auto product) {
        return multiply(*way.pair, by_vector, groups, sums, product, out);
    });
}

} // namespace purview::engine
