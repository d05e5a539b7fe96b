#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/expression/sparse_evaluation.hpp>
#include <purview/reader/sparse_buffer.hpp>
#include <purview/tensor/create.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace purview {

/// A tensor over sparse pairs, whose indexes are row-major ones of `shape`. Shares the buffer. O(rank). Throws
/// `ShapeError` when the buffer has another number of elements.
template <ElementType T>
MutableTensor<T> sparse_tensor(AxisValues shape, SparseBufferPtr<T> buffer) {
    return tensor(std::move(buffer), shape);
}

/// The same of row-major indexes, in any order, and their values. O(n), and a sort unless they ascend. Throws
/// `ShapeError`, and `IndexError` naming the position of an index out of range, or given twice unless
/// `duplicates` says what that means.
template <ElementType V, std::convertible_to<V> Fill = V>
MutableTensor<Canonical<V>> sparse_tensor(AxisValues shape, std::vector<index_t> indexes,
                                          std::vector<V> values, Fill fill_value = Fill{},
                                          Duplicates duplicates = Duplicates::error) {
    using T = Canonical<V>;
    std::vector<T> stored;
    if constexpr (std::same_as<T, V>)
        stored = std::move(values);
    else
        stored.assign(values.begin(), values.end());
    return sparse_tensor<T>(
        shape, std::make_shared<SparseBuffer<T>>(checked_size(shape, "sparse_tensor"),
                                                 std::move(indexes), std::move(stored),
                                                 converted<T>(std::move(fill_value)), duplicates));
}

/// A sparse tensor in which nothing is stored: `value` everywhere. O(1), whatever the shape. Throws `ShapeError` for
/// more than 2⁶² elements.
template <ElementType V>
MutableTensor<Canonical<V>> sparse_full(AxisValues shape, V value) {
    using T = Canonical<V>;
    return sparse_tensor<T>(shape,
                            std::make_shared<SparseBuffer<T>>(checked_size(shape, "sparse_full"),
                                                              static_cast<T>(std::move(value))));
}
/// Where the type is named, a number that does not fit it is a `CastError`.
template <ElementType T, ConvertedTo<Canonical<T>> V>
    requires(!std::same_as<T, V>)
MutableTensor<Canonical<T>> sparse_full(AxisValues shape, V value) {
    return sparse_full<Canonical<T>>(shape, converted<Canonical<T>>(value));
}
template <ElementType T = double>
MutableTensor<Canonical<T>> sparse_zeros(AxisValues shape) {
    return sparse_full<T>(shape, T{});
}

/// Row-major indexes of coordinates, one list for each axis, all of one length. Throws `ShapeError` for another number
/// of lists or different lengths, `IndexError` naming axis, position, index and size for one out of range.
/// O(n · rank).
PURVIEW_EXPORT std::vector<index_t>
coordinate_indexes(const char* what, ShapeSpan shape,
                   const std::vector<std::vector<index_t>>& axes);

/// A sparse tensor of coordinates (COO), one list of integers for each axis, and a value for each. As `sparse_tensor`
/// otherwise; throws `CastError` for an index that no `index_t` holds.
template <ElementType V, std::convertible_to<V> Fill = V>
MutableTensor<Canonical<V>> from_coo(AxisValues shape,
                                     const std::vector<std::vector<index_t>>& coordinates,
                                     std::vector<V> values, Fill fill_value = Fill{},
                                     Duplicates duplicates = Duplicates::error) {
    return sparse_tensor(shape, coordinate_indexes("from_coo", shape, coordinates),
                         std::move(values), std::move(fill_value), duplicates);
}
template <std::integral I, ElementType V, std::convertible_to<V> Fill = V>
    requires(!std::same_as<I, index_t> && !std::same_as<I, bool>)
MutableTensor<Canonical<V>> from_coo(AxisValues shape,
                                     const std::vector<std::vector<I>>& coordinates,
                                     std::vector<V> values, Fill fill_value = Fill{},
                                     Duplicates duplicates = Duplicates::error) {
    std::vector<std::vector<index_t>> indexes(coordinates.size());
    for (std::size_t a = 0; a < coordinates.size(); ++a)
        for (const I index : coordinates[a])
            indexes[a].push_back(converted<index_t>(index, std::ssize(indexes[a])));
    return from_coo(shape, indexes, std::move(values), std::move(fill_value), duplicates);
}

/// Whether the elements of a tensor can be had in time proportional to what is stored: it is sparse, or an operation
/// on sparse tensors and constants, or one in which their fills decide whatever dense tensors hold, as 0 does in a product
/// of integers. O(1); where fills decide, they are computed when first asked.
inline bool is_sparse(const AnyTensor& x) { return is_sparse(x.operand()); }

/// The pairs of a sparse tensor by row-major index: its own buffer where it is all of one, as it lies, unless its indexes are
/// packed, else realised, O(stored). Throws `KindError` for one that is not sparse.
template <TypedTensor X>
std::shared_ptr<const SparseBuffer<typename X::value_type>> sparse_pairs(const X& x) {
    using T = typename X::value_type;
    if (const Leaf* const leaf = leaf_of(x.operand());
        leaf != nullptr && x.operand().dims.is_identity() && leaf->size() == x.size())
        if (auto own = std::dynamic_pointer_cast<const SparseBuffer<T>>(leaf->shared_reader());
            own != nullptr && !own->is_packed())
            return own;
    return realise_sparse<T>(x.operand(), "sparse_pairs");
}

} // namespace purview
