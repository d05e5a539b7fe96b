#pragma once

#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>

namespace purview::inline v0_1 {

/// The bytes of `t` as elements of another type, zero-copy; it writes where `t` does. Types of one
/// size: the same shape. To a smaller type: a new last axis, of as many elements as fit (int32 as
/// uint8: [..., 4]; complex64 as float32: [..., 2]). To a larger type: the last axis, which has
/// just as many elements and no gaps, goes. Element types: as in `wrap` of a descriptor. O(rank).
/// Throws `ShapeError` unless the elements lie in memory, a fixed number of bytes apart, and for a
/// last axis that is no element of the larger type.
PURVIEW_EXPORT AnyTensor view_as(const AnyTensor& t, DType dtype);
/// With a static type, `view_as<T>(t)`: of a `Tensor` a `Tensor<T>`, of a `MutableTensor` one of T.
template <ElementType T, std::derived_from<TensorHandle> X>
auto view_as(const X& t) {
    if constexpr (std::same_as<X, AnyTensor>)
        return view_as(t, kDType<T>);
    else if constexpr (X::kWritesThrough)
        return MutableTensor<T>(view_as(AnyTensor(t), kDType<T>).operand());
    else
        return Tensor<T>(view_as(AnyTensor(t), kDType<T>).operand());
}

/// The elements of `t` with their bytes in the other order, zero-copy: they are swapped whenever an
/// element is read or written; of complex numbers each part by itself. O(rank). Throws as
/// `view_as`.
PURVIEW_EXPORT AnyTensor byte_swapped(const AnyTensor& t);

} // namespace purview
