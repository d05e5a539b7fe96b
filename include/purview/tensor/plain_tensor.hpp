#pragma once

#include <purview/tensor/tensor.hpp>

#include <concepts>

namespace purview {

/// A tensor, or a tensor with dims that converts to one if no dims are bound.
template <typename X>
concept PlainOrOrdered = TensorLike<X> &&
    (!HasDims<X> || (TypedTensor<X> && std::convertible_to<const X&, AnyTensor>));

/// The tensor itself; of a handle with dims, none of which is bound, its tensor. Throws `DimError`
/// naming the dims that are bound. For functions that do not work over dims.
template <PlainOrOrdered X>
decltype(auto) plain_tensor(const X& x) {
    if constexpr (HasDims<X>)
        return Tensor<typename X::value_type>(x.operand());
    else
        return (x);
}

} // namespace purview
