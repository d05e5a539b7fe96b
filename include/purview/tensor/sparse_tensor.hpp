#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/reader/sparse_buffer_template.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A tensor of `shape` over sparse pairs, whose indexes are the row-major ones. Shares the buffer.
/// O(rank). Throws `ShapeError` when the buffer has another number of elements.
template <ElementType T>
MutableTensor<T> sparse_tensor(AxisValues shape, SparseBufferPtr<T> buffer) {
    return tensor(std::move(buffer), shape);
}

/// A parameter type for indexes: a brace list, a vector, span or tensor of integers of any type.
/// Throws `IndexError` for an integer that does not fit `index_t`.
class IndexValues {
public:
    IndexValues(std::initializer_list<AxisValue> indexes)
        : indexes_(indexes.begin(), indexes.end()) {}
    IndexValues(std::vector<index_t> indexes) noexcept : indexes_(std::move(indexes)) {}
    template <std::ranges::input_range R>
        requires std::integral<std::ranges::range_value_t<R>> IndexValues(const R& indexes) {
            for (const std::ranges::range_value_t<R> index : indexes)
                indexes_.push_back(to_index(index));
        }

    const std::vector<index_t>& values() const& noexcept { return indexes_; }
    std::vector<index_t> values() && noexcept { return std::move(indexes_); }

private:
    std::vector<index_t> indexes_;
};

template <typename T>
Operand sparse_operand(ShapeSpan shape, std::vector<index_t> indexes, std::vector<T> values,
                       T fill_value, Duplicates duplicates) {
    return sparse_tensor<T>(shape, std::make_shared<SparseBuffer<T>>(
                                       checked_size(shape, "sparse_tensor"), std::move(indexes),
                                       std::move(values), std::move(fill_value), duplicates))
        .operand();
}
template <typename T>
Operand sparse_full_operand(ShapeSpan shape, T value) {
    return sparse_tensor<T>(shape, std::make_shared<SparseBuffer<T>>(
                                       checked_size(shape, "sparse_full"), std::move(value)))
        .operand();
}

/// A sparse tensor from row-major indexes, in any order, and their values. O(n), and a sort unless
/// they ascend. Throws `ShapeError` for different numbers of indexes and values, and `IndexError`
/// naming the position of an index out of range, or of a duplicate unless `duplicates` says how to
/// combine them.
template <ElementType V, std::convertible_to<V> Fill = V>
MutableTensor<Canonical<V>> sparse_tensor(AxisValues shape, IndexValues indexes,
                                          std::vector<V> values, Fill fill_value = Fill{},
                                          Duplicates duplicates = Duplicates::error) {
    using T = Canonical<V>;
    std::vector<T> stored;
    if constexpr (std::same_as<T, V>)
        stored = std::move(values);
    else
        stored.assign(values.begin(), values.end());
    return MutableTensor<T>(sparse_operand<T>(shape, std::move(indexes).values(), std::move(stored),
                                              converted<T>(std::move(fill_value)), duplicates));
}

/// A sparse tensor with no stored elements: `value` everywhere. O(1), whatever the shape. Throws
/// `ShapeError` for more than 2⁶² elements.
template <ElementType V>
MutableTensor<Canonical<V>> sparse_full(AxisValues shape, V value) {
    using T = Canonical<V>;
    return MutableTensor<T>(sparse_full_operand<T>(shape, static_cast<T>(std::move(value))));
}
/// A sparse tensor with no stored elements: a float everywhere, which has to be finite unless its
/// type is given, as in `full`.
PURVIEW_EXPORT MutableTensor<float> sparse_full(AxisValues shape, float value);
/// A sparse tensor of a given type with no stored elements. Throws `CastError` if the number does
/// not fit it.
template <ElementType T, ConvertedTo<Canonical<T>> V>
    requires(!std::same_as<T, V>)
MutableTensor<Canonical<T>> sparse_full(AxisValues shape, V value) {
    return sparse_full<Canonical<T>>(shape, converted<Canonical<T>>(value));
}
template <ElementType T = double>
MutableTensor<Canonical<T>> sparse_zeros(AxisValues shape) {
    return sparse_full<T>(shape, T{});
}

/// A parameter type for coordinates: one `IndexValues` per axis, in braces or as a range.
class CoordinateLists {
public:
    PURVIEW_EXPORT CoordinateLists(std::initializer_list<IndexValues> lists);
    CoordinateLists(std::vector<std::vector<index_t>> lists) noexcept : lists_(std::move(lists)) {}
    template <std::ranges::input_range R>
        requires std::convertible_to<std::ranges::range_reference_t<R>, IndexValues>
        CoordinateLists(const R& lists) {
            for (auto&& list : lists) lists_.push_back(IndexValues(list).values());
        }

    const std::vector<std::vector<index_t>>& lists() const noexcept { return lists_; }

private:
    std::vector<std::vector<index_t>> lists_;
};

/// The row-major indexes of coordinates, which are given as one list per axis, all of one length.
/// Throws `ShapeError` for a wrong number of lists or different lengths, `IndexError` naming axis,
/// position, index and size for a coordinate out of range. O(n · rank).
PURVIEW_EXPORT std::vector<index_t>
coordinate_indexes(const char* what, ShapeSpan shape,
                   const std::vector<std::vector<index_t>>& axes);

/// A sparse tensor from coordinates (COO): one list of integers per axis, and a value for each
/// entry. Cost and errors as for `sparse_tensor`; throws also `CastError` for an integer that does
/// not fit `index_t`.
template <ElementType V, std::convertible_to<V> Fill = V>
MutableTensor<Canonical<V>> from_coo(AxisValues shape, const CoordinateLists& coordinates,
                                     std::vector<V> values, Fill fill_value = Fill{},
                                     Duplicates duplicates = Duplicates::error) {
    return sparse_tensor<V>(shape, coordinate_indexes("from_coo", shape, coordinates.lists()),
                            std::move(values), std::move(fill_value), duplicates);
}
/// A sparse tensor from coordinates and values from any array, cast to `T` with checks; without
/// `T`, of their own type.
template <ElementType T, array_like V>
    requires(!std::same_as<std::remove_cvref_t<V>, std::vector<T>>)
MutableTensor<T> from_coo(AxisValues shape, const CoordinateLists& coordinates, V&& values,
                          std::type_identity_t<T> fill_value = T{},
                          Duplicates duplicates = Duplicates::error) {
    return from_coo<T>(shape, coordinates, to_vector(as_tensor<T>(std::forward<V>(values))),
                       std::move(fill_value), duplicates);
}
template <TypedTensor V>
auto from_coo(AxisValues shape, const CoordinateLists& coordinates, const V& values,
              const typename V::value_type& fill_value = {},
              Duplicates duplicates = Duplicates::error) {
    return from_coo<typename V::value_type>(shape, coordinates, to_vector(values), fill_value,
                                            duplicates);
}

/// Whether the elements of a tensor can be computed in time proportional to what is stored: it is
/// sparse, or an operation on sparse tensors and constants, or on dense tensors too if the fills of
/// the sparse ones decide the result, as 0 does in a product of integers. O(1), except that fills
/// are computed by the first call where they decide.
inline bool is_sparse(const AnyTensor& x) { return is_sparse(x.operand()); }

/// The pairs of a sparse tensor by row-major index: its own buffer if the tensor is exactly that
/// buffer and its indexes are not packed; else realised, O(stored). Throws `KindError` for a tensor
/// that is not sparse.
template <TypedTensor X>
std::shared_ptr<const SparseBuffer<typename X::value_type>> sparse_pairs(const X& x) {
    using T = typename X::value_type;
    if (const Leaf* const leaf = leaf_of(x.operand());
        leaf != nullptr && leaf->reader().reader_class() == ReaderClass::sparse_buffer &&
        x.operand().dims.is_identity() && leaf->size() == x.size())
        if (auto own = std::static_pointer_cast<const SparseBuffer<T>>(leaf->shared_reader());
            !own->is_packed())
            return own;
    return realise_sparse<T>(x.operand(), "sparse_pairs");
}

// Sparse tensors of the built-in types are made in src/tensor/sparse_tensor.cpp.
#define PURVIEW_SPARSE_TENSORS_OF(what, T)                                               \
 what template PURVIEW_EXPORT Operand sparse_operand<T>(ShapeSpan, std::vector<index_t>, \
                                                        std::vector<T>, T, Duplicates);  \
 what template PURVIEW_EXPORT Operand sparse_full_operand<T>(ShapeSpan, T);
#define PURVIEW_EXTERN_SPARSE_TENSORS(T) PURVIEW_SPARSE_TENSORS_OF(extern, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_SPARSE_TENSORS)
#undef PURVIEW_EXTERN_SPARSE_TENSORS

} // namespace purview
