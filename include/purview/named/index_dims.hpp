#pragma once

#include <purview/dimensions/dim_list.hpp>
#include <purview/named/dim_tensor.hpp>

#include <array>
#include <concepts>
#include <variant>

namespace purview {

/// One argument of indexing with dims: a Dim binds its axis; `joint(…)` splits it into dims; a `DimList`
/// binds several; an index expression (`i + 1`) reads along its dims; the rest is as in `TensorIndex`.
using DimIndex = std::variant<TensorIndex, Dim, Joint, DimList, AffineIndex>;

template <typename I>
concept NamesDims = IndexExpression<I> || std::same_as<I, Joint> || std::same_as<I, DimList>;

template <typename I>
concept DimIndexLike = IndexLike<I> || NamesDims<I>;

/// The view that indexing makes, positional axes being indexed. All sizes are validated, then bound together:
/// a failure binds none. O(1) but for lists and masks. Throws `DimError`, `IndexError`.
PURVIEW_EXPORT DimOperand index_with_dims(const DimOperand& x, std::span<const DimIndex> indexes);

/// A Dim, or else an index expression, borrowed for a call.
struct AxisExpression {
    AxisExpression(const Dim& bound) : dim(&bound) {}
    AxisExpression(const AffineIndex& expression) : index(&expression) {}

    const Dim* dim = nullptr;
    const AffineIndex* index = nullptr;
};

/// The same for these alone, one for each of the first axes of a tensor: the case that is to cost little.
PURVIEW_EXPORT DimOperand bind_axes(const Operand& x, std::span<const AxisExpression> axes);

template <DimIndexLike I>
DimIndex dim_index(const I& index) {
    if constexpr (NamesDims<I>)
        return index;
    else
        return TensorIndex(index);
}

/// `t(i, j)` for a tensor, or one with dims.
template <TypedTensor X, DimIndexLike... I>
    requires((HasDims<X> && !IndexExpression<X>) || (NamesDims<I> || ...))
auto index_tensor(const X& x, const I&... indexes) {
    using Result = DimTensor<typename X::value_type>;
    if constexpr (!HasDims<X> && (IndexExpression<I> && ...)) {
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
