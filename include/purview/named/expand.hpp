#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <utility>

namespace purview::inline v0_1 {

PURVIEW_EXPORT DimOperand expand_operand(const DimOperand& x, DimVector dims);

/// `expand(t, i, j)`, or `t | expand(i, j)`: the tensor with additional dims, over which it
/// repeats. A view, O(1); the dims may get their sizes later. (Operations do this by themselves.)
/// Throws `DimError` for a Dim that the tensor has already, or that is given twice.
template <TypedTensor X, std::same_as<Dim>... D>
    requires(!std::same_as<X, Dim>)
auto expand(const X& x, const D&... dims) {
    return DimView<X>(expand_operand(bound_operand(x), DimVector{dims...}));
}
/// `expand(t, dims)` for a list or range of dims.
template <TypedTensor X, AxisLike R>
    requires(!AxisLike<X> && (DimRange<R> || std::same_as<R, DimList>))
auto expand(const X& x, const R& dims) {
    return DimTensor<typename X::value_type>(expand_operand(bound_operand(x), joint(dims).dims()));
}
template <AxisLike R>
    requires(DimRange<R> || std::same_as<R, DimList>)
auto expand(const R& dims) {
    return Stage([dims = joint(dims).dims()]<TypedTensor X>(const X& x) {
        return DimTensor<typename X::value_type>(expand_operand(bound_operand(x), dims));
    });
}
template <std::same_as<Dim>... D>
    requires(sizeof...(D) > 0)
auto expand(const D&... dims) {
    return Stage([dims = DimVector{dims...}]<TypedTensor X>(const X& x) {
        return DimView<X>(expand_operand(bound_operand(x), dims));
    });
}

} // namespace purview
