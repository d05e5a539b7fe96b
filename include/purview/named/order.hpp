#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index_dims.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {

/// What `order` takes for an axis of the result: a Dim, or a positional axis, which may count from
/// the end; several of them merged into one axis; or a list of dims, each of which becomes an axis.
struct OrderedAxis {
    OrderedAxis(const Dim& dim) { merged.add(dim); }
    OrderedAxis(index_t axis) { merged.add(axis); }
    OrderedAxis(const Joint& joint) : merged(joint) {}
    OrderedAxis(const DimList& dims) : list(dims) {}

    Joint merged;
    std::optional<DimList> list;
};

/// `order` of an operand. Errors name `what`.
PURVIEW_EXPORT DimOperand order_dims(const DimOperand& x, std::span<const OrderedAxis> axes,
                                     const char* what = "order");
/// `order` of an operand by dims alone. Errors name `what`.
PURVIEW_EXPORT DimOperand order_dims(const DimOperand& x, std::span<const Dim> dims,
                                     const char* what = "order");

template <AxisLike A>
OrderedAxis ordered_axis(const A& axis) {
    if constexpr (IndexInteger<A>)
        return to_index(axis);
    else if constexpr (DimRange<A>)
        return DimList(axis);
    else
        return axis;
}
/// The axes, each as an axis of the result.
PURVIEW_EXPORT std::vector<OrderedAxis> ordered_axes(const Axes& axes);

/// `order(t, i, joint(j, k), -1)`, or `t | order(…)`: the given dims become the first positional
/// axes, in this order. The remaining positional axes follow, and the remaining dims stay bound.
/// `(j, k)` is `joint(j, k)`, one axis; `{j, k}`, or a list or range of dims, is one axis for each.
/// If no dim stays bound, the result converts to `Tensor<T>`. A view, O(1). Throws `DimError` for a
/// dim that the tensor does not have, or that is given twice, and `IndexError` for an axis that is
/// out of range or given twice.
struct OrderFunction {
    template <TypedTensor X, AxisLike... A>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const A&... axes) const { return with(x, list_of(axes...)); }
    template <AxisLike... A>
    auto operator()(const A&... axes) const {
        return Stage(
            [list = list_of(axes...)]<TypedTensor X>(const X& x) { return with(x, list); });
    }
    template <TypedTensor X>
        requires(!AxisLike<X>)
    auto operator()(const X& x, std::initializer_list<AxisOrDim> axes) const {
        return with(x, ordered_axes(axes));
    }
    auto operator()(std::initializer_list<AxisOrDim> axes) const {
        return Stage(
            [list = ordered_axes(axes)]<TypedTensor X>(const X& x) { return with(x, list); });
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
    static auto with(const X& x, const List& list) {
        using Result = DimView<X>;
        const std::span<const typename List::value_type> axes(list.data(), list.size());
        if constexpr (HasDims<X>)
            return Result(order_dims(dim_operand(x), axes));
        else
            return Result(order_dims(dim_operand(x.operand()), axes));
    }
};
inline constexpr OrderFunction order;

/// The bound dims, in order.
inline DimVector dims(const AnyDimTensor& x) { return x.bound().dims; }

} // namespace purview
