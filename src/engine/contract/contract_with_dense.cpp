// Defines engine/contract/contract_sparse.hpp.

#include <purview/base/errors.hpp>
#include <purview/base/wrapping.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/contract/compact_rows.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/pairs_times_vector.hpp"
#include "engine/contract/row_products.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/memory_leaf.hpp"

#include <concepts>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

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

/// The stride of the axes [begin, end) walked as one; nothing if they cannot be.
std::optional<index_t> merged_stride(const Shape& strides, const Shape& extents, std::size_t begin,
                                     std::size_t end) {
    index_t stride = 0; // of one index
    index_t next = 0;   // of the axis in front
    for (std::size_t axis = end; axis-- > begin;) {
        if (extents[axis] == 1) continue;
        if (next == 0)
            stride = strides[axis];
        else if (strides[axis] != next)
            return {};
        next = strides[axis] * extents[axis];
    }
    return stride;
}

/// An operand of shape `[rows…, columns…]` in place, if it is in memory and its rows are
/// contiguous.
template <typename T>
std::optional<DenseRows<T>> rows_in_memory(const Operand& operand, std::size_t row_axes) {
    if (operand.dtype() == kDType<bool>) return {}; // in foreign bytes, any but 0 is true
    const Factor factor = factor_at(operand);
    if (factor.memory == nullptr) return {};
    const Shape extents = to_shape(operand.dims.max_shape());
    const std::size_t rank = extents.size();
    const std::optional<index_t> row = merged_stride(factor.strides, extents, 0, row_axes);
    const std::optional<index_t> column = merged_stride(factor.strides, extents, row_axes, rank);
    DenseRows<T> result{reinterpret_cast<const T*>(factor.memory), 1, 1, 0, nullptr};
    for (std::size_t axis = 0; axis < rank; ++axis)
        (axis < row_axes ? result.rows : result.columns) *= extents[axis];
    if (!row || !column || (result.columns > 1 && *column != 1)) return {};
    result.stride = result.rows == 1 ? result.columns : *row;
    return result;
}

/// As `rows_in_memory`, for any operand: copied or computed if need be, unless it is too large.
template <typename T>
std::optional<DenseRows<T>> rows_of_dense(const Operand& operand, std::size_t row_axes) {
    std::optional<DenseRows<T>> result = rows_in_memory<T>(operand, row_axes);
    if (result && (result->columns > 1 || result->stride == 1)) return result;
    if (operand.dims.size() > kLargestDenseOfSparse) return {};
    const ShapeSpan extents = operand.dims.max_shape();
    BufferPtr<T> own = allocate_uninitialized_buffer<T>(operand.dims.size());
    assign(operand, {memory_leaf(operand.dtype(), data_of(own), own->size()),
                     Dimensions::row_major(extents)});
    result.emplace();
    result->first = static_cast<const T*>(own->memory().data);
    result->rows = Dimensions::row_major(extents.first(row_axes)).size();
    result->columns = Dimensions::row_major(extents.subspan(row_axes)).size();
    result->stride = result->columns;
    result->own = std::move(own);
    return result;
}

/// The dense factor after summing the axes that are summed in it alone.
template <typename T>
SummedFactor without_own_sums(const FactorPair& pair) {
    const AxisNumbers of_y = pair.of_y();
    if (of_y.empty()) return pair.y;
    const AxisNumbers batch = pair.batch();
    const AxisNumbers k = pair.k();
    const AxisNumbers n = pair.n();
    const Operand apart = over_axes(pair.y, {&batch, &k, &n, &of_y});
    Shape strides(pair.shape.size(), 0);
    index_t next = 1;
    SummedFactor result;
    for (const AxisNumbers* const axes : {&n, &k, &batch})
        for (std::size_t i = axes->size(); i-- > 0;) {
            strides[(*axes)[i]] = next;
            next *= pair.shape[(*axes)[i]];
            result.axes |= AxisSet{1} << (*axes)[i];
        }
    const BufferPtr<T> sums = allocate_uninitialized_buffer<T>(next);
    reduce(Reduction::sum, apart, next, sums->writable_memory().data);
    result.operand = over_buffer<T>(sums, Dimensions::strided(pair.shape, strides));
    return result;
}

/// Where most of the time would go into transposing the dense factor and the result, multiplies
/// with one row of the dense factor after the other, as they are in memory. Returns false, with
/// nothing written, in other cases. `is_finite` is set to whether the dense factor is; if not,
/// nothing is written.
template <typename Product, typename T>
bool multiply_by_columns(Product product, const FactorPair& pair, const SummedFactor& y,
                         const RowPointers<T, index_t>& x, typename Product::Sum* out,
                         bool& is_finite) {
    const AxisNumbers m = pair.m();
    const AxisNumbers n = pair.n();
    const AxisNumbers k = pair.k();
    if (!pair.batch().empty() || n.empty()) return false;
    AxisNumbers order = n;
    order.insert(order.end(), m.begin(), m.end());
    if (!pair.view_of(order).is_identity()) return false;
    if (x.stored() > pair.extent_of(k) + pair.extent_of(m)) return false;
    const std::optional<DenseRows<T>> dense = rows_in_memory<T>(over_axes(y, {&n, &k}), n.size());
    if (!dense) return false;
    is_finite = dense->is_finite();
    if (!is_finite) return true;
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
template <typename Product, typename T>
bool multiply_by_vector(Product product, const FactorPair& pair, const SparseFactor<T>& x,
                        bool by_columns, const SummedFactor& y, typename Product::Sum* out) {
    const AxisNumbers m = pair.m();
    const AxisNumbers k = pair.k();
    const std::optional<DenseRows<T>> vector = rows_of_dense<T>(over_axes(y, {&k}), k.size());
    if (!vector || !vector->is_finite()) return false;
    const index_t rows = pair.extent_of(m);
    std::fill(out, out + rows, typename Product::Sum{});
    if (by_columns)
        vector_times_pairs(product, x.index(), x.value(), x.stored(), rows, vector->first, out);
    else
        pairs_times_vector(product, x.index(), x.value(), x.stored(), pair.extent_of(k),
                           vector->first, out);
    if (!are_finite(out, rows) && !are_finite(x.value(), x.stored())) return false;
    multiply_all(out, rows, pair.repeats());
    return true;
}

template <typename Product>
bool multiply(const FactorPair& pair, bool by_vector, index_t groups, Product product,
              void* result) {
    using T = typename Product::Factor;
    using R = typename Product::Sum;
    auto* const out = static_cast<R*>(result);
    const AxisNumbers batch = pair.batch();
    const AxisNumbers m = pair.m();
    const AxisNumbers n = pair.n();
    const AxisNumbers k = pair.k();
    const AxisNumbers of_x = pair.of_x();
    const Operand by_rows = over_axes(pair.x, {&batch, &m, &k, &of_x});
    auto factor = SparseFactor<T>::in_memory(by_rows);
    bool by_columns = false;
    if (!factor && by_vector && pair.extent_of(m) > 1) {
        factor = SparseFactor<T>::in_memory(over_axes(pair.x, {&k, &m}));
        by_columns = factor.has_value();
    }
    if (!factor) factor = SparseFactor<T>::of(by_rows);
    if (!factor) return false;
    SummedFactor dense_factor = pair.y;
    if constexpr (std::same_as<T, R>) dense_factor = without_own_sums<T>(pair);
    if (by_vector) return multiply_by_vector(product, pair, *factor, by_columns, dense_factor, out);
    std::optional<CompactRows<T>> entries = compact_rows<T>(
        *factor, pair.extent_of(k), pair.extent_of(of_x), !pair.is_narrow(), pair.scale);
    factor.reset();
    if (!entries) return false;
    const index_t rows = pair.extent_of(batch) * pair.extent_of(m);
    const std::vector<index_t> pointers =
        match_columns_to_all_rows(*entries, rows, pair.extent_of(m));
    const RowPointers<T, index_t> x{rows, pair.extent_of(batch) * pair.extent_of(k),
                                    pointers.data(), entries->column(), entries->value()};
    bool is_finite = true;
    if (multiply_by_columns(product, pair, dense_factor, x, out, is_finite)) {
        if (is_finite) multiply_all(out, groups, pair.repeats());
        return is_finite;
    }

    const std::optional<DenseRows<T>> y =
        rows_of_dense<T>(over_axes(dense_factor, {&batch, &k, &n}), batch.size() + k.size());
    if (!y || !y->is_finite()) return false;
    AxisNumbers order = batch;
    order.insert(order.end(), m.begin(), m.end());
    order.insert(order.end(), n.begin(), n.end());
    const Dimensions view = pair.view_of(order);
    const index_t count = rows * y->columns;
    if (view.is_identity()) {
        rows_times_dense(product, x, y->first, y->stride, y->columns, out);
        multiply_all(out, count, pair.repeats());
        return true;
    }
    const BufferPtr<R> staged = allocate_uninitialized_buffer<R>(count);
    R* const values = data_of(staged);
    rows_times_dense(product, x, y->first, y->stride, y->columns, values);
    multiply_all(values, count, pair.repeats());
    const auto place =
        std::make_shared<Buffer<R>>(out, groups, static_cast<index_t>(sizeof(R)), borrowed(out));
    assign(over_buffer<R>(staged, view),
           over_buffer<R>(place, Dimensions::row_major(view.max_shape())));
    return true;
}

} // namespace

bool contract_with_dense(const Operand& source, index_t groups, void* out) {
    const SparseWay way = choose_sparse_way(source, groups);
    const bool by_vector = way.kind == SparseWay::Kind::dense_vector;
    if (!by_vector && way.kind != SparseWay::Kind::dense_matrix) return false;
    return visit_product(way.pair->x.operand.dtype(), [&](auto product) {
        return multiply(*way.pair, by_vector, groups, product, out);
    });
}

} // namespace purview
