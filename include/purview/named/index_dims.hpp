#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <array>
#include <concepts>
#include <string>
#include <variant>

namespace purview {

/// A mask over dims: `A(i, j, i > 0)`.
struct DimMask {
    DimOperand mask;
};

/// One argument of indexing with dims: a Dim binds its axis; `joint(…)` splits it into dims; a `DimList`
/// or a range of dims binds several; an index expression (`i + 1`) reads along its dims; a tensor of integers with dims, `ids(i, k)`, or
/// one that has not just one axis, at its elements; the rest is as in `TensorIndex`.
using DimIndex = std::variant<TensorIndex, Dim, Joint, DimList, AffineIndex, DimOperand, DimMask>;

/// A tensor with dims whose elements are indexes.
template <typename I>
concept ComputedIndex = HasDims<I> && TypedTensor<I> && !IndexExpression<I>;
template <typename I>
concept ComputedIndexOfIntegers = ComputedIndex<I> && std::integral<typename I::value_type> &&
    !std::same_as<typename I::value_type, bool>;

template <typename I>
concept NamesDims = IndexExpression<I> || std::same_as<I, Joint> || std::same_as<I, DimList> ||
    DimRange<I> || ComputedIndex<I>;

template <typename I>
concept DimIndexLike = IndexLike<I> || NamesDims<I>;

/// The view that indexing makes, positional axes being indexed. All sizes are validated, then bound together:
/// a failure binds none. O(1) but for lists and masks. Throws `DimError`, `IndexError`.
///
/// At computed indexes it is a gather, over their dims as well; their positional axes stand where the axis of the
/// tensor stood. These are read when elements are: one outside of [-n, n) is an `IndexError` then, naming the axis,
/// as in `axis_names` if these are given, the dims and the index.
///
/// A mask over dims takes these away, and one axis for each of its own; in its place stands an axis of the elements for
/// which it holds, in the order of the dims of the mask. It is read now. Errors name `what`.
PURVIEW_EXPORT DimOperand index_with_dims(const DimOperand& x, std::span<const DimIndex> indexes,
                                          std::span<const std::string> axis_names = {},
                                          const char* what = "indexing");

/// A positional tensor as an index: a mask or a list, which is read now, or indexes of any other rank, which are
/// not. Throws `IndexError`, `DtypeError`.
PURVIEW_EXPORT DimIndex tensor_as_index(const TensorHandle& tensor);

/// A mask: read now, if it has no dims.
PURVIEW_EXPORT DimIndex mask_as_index(const DimOperand& mask);

/// A Dim, or else an index expression, or indexes over dims, borrowed for a call.
struct AxisExpression {
    AxisExpression(const Dim& bound) : dim(&bound) {}
    AxisExpression(const AffineIndex& expression) : index(&expression) {}
    AxisExpression(const AnyDimTensor& indexes) : computed(&indexes.bound()) {}

    const Dim* dim = nullptr;
    const AffineIndex* index = nullptr;
    const DimOperand* computed = nullptr;
};

/// What an `AxisExpression` is made of.
template <typename I>
concept AxisExpressionLike = IndexExpression<I> || ComputedIndexOfIntegers<I>;

/// The same for these alone, one for each of the first axes of a tensor: the case that is to cost little.
PURVIEW_EXPORT DimOperand bind_axes(const Operand& x, std::span<const AxisExpression> axes);

template <DimIndexLike I>
DimIndex dim_index(const I& index) {
    if constexpr (ComputedIndex<I>) {
        using T = typename I::value_type;
        static_assert(std::integral<T>, "indexing: indexes are integers, or a mask is bool");
        if constexpr (std::same_as<T, bool>)
            return mask_as_index(dim_operand(index));
        else
            return dim_operand(index);
    } else if constexpr (DimRange<I>) {
        return DimList(index);
    } else if constexpr (NamesDims<I>) {
        return index;
    } else if constexpr (std::derived_from<I, TensorHandle>) {
        return tensor_as_index(index);
    } else {
        return TensorIndex(index);
    }
}

/// `t(i, j)` for a tensor, or one with dims.
template <TypedTensor X, DimIndexLike... I>
    requires((HasDims<X> && !IndexExpression<X>) || (NamesDims<I> || ...))
auto index_tensor(const X& x, const I&... indexes) {
    using Result = DimView<X>;
    if constexpr (!HasDims<X> && (AxisExpressionLike<I> && ...)) {
        return Result(bind_axes(x.operand(), std::array<AxisExpression, sizeof...(I)>{indexes...}));
    } else {
        const std::array<DimIndex, sizeof...(I)> arguments{dim_index(indexes)...};
        if constexpr (HasDims<X>)
            return Result(index_with_dims(x.bound(), arguments));
        else
            return Result(index_with_dims(DimOperand(x.operand(), {}), arguments));
    }
}

} // namespace purview
