#pragma once

#include <purview/dimensions/dim_list.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <variant>

namespace purview {

/// What `order` takes for one axis of the result: a Dim, several as one axis, a list of dims as as many axes,
/// or a positional axis, which may count from the end.
using OrderedAxis = std::variant<Dim, Joint, DimList, index_t>;

template <typename A>
concept OrderedAxisLike =
    std::same_as<A, Dim> || std::same_as<A, Joint> || std::same_as<A, DimList> || IndexInteger<A>;

PURVIEW_EXPORT DimOperand order_dims(const DimOperand& x, std::span<const OrderedAxis> axes);
/// The same for dims alone.
PURVIEW_EXPORT DimOperand order_dims(const DimOperand& x, std::span<const Dim> dims);

template <OrderedAxisLike A>
OrderedAxis ordered_axis(const A& axis) {
    if constexpr (IndexInteger<A>)
        return to_index(axis);
    else
        return axis;
}

/// `order(t, i, joint(j, k), -1)`, or `t | order(…)`: the dims named become the first positional axes, in this
/// order; the other positional axes follow, and the other dims stay bound. With no dim left bound the
/// result converts to `Tensor<T>`. A view, O(1). Throws `DimError` for a dim that the tensor does not have, or
/// that is named twice, and `IndexError` for an axis that is out of range or named twice.
struct OrderFunction {
    template <TypedTensor X, OrderedAxisLike... A>
        requires(!OrderedAxisLike<X>)
    auto operator()(const X& x, const A&... axes) const { return with(x, list_of(axes...)); }
    template <OrderedAxisLike... A>
    auto operator()(const A&... axes) const {
        return Stage(
            [list = list_of(axes...)]<TypedTensor X>(const X& x) { return with(x, list); });
    }

private:
    template <typename... A>
    static auto list_of(const A&... axes) {
        if constexpr ((std::same_as<A, Dim> && ...))
            return std::array<Dim, sizeof...(A)>{axes...};
        else
            return std::array<OrderedAxis, sizeof...(A)>{ordered_axis(axes)...};
    }

    template <TypedTensor X, typename List>
    static auto with(const X& x, const List& axes) {
        using Result = DimView<X>;
        if constexpr (HasDims<X>)
            return Result(order_dims(dim_operand(x), axes));
        else
            return Result(order_dims(dim_operand(x.operand()), axes));
    }
};
inline constexpr OrderFunction order;

/// The dims that are bound, in order.
inline DimVector dims(const AnyDimTensor& x) { return x.bound().dims; }

} // namespace purview
