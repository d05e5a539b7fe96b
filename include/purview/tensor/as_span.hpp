#pragma once

#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <span>

namespace purview {

/// The elements of a contiguous tensor as a span, for calling what takes pointers: `as_span(t).data()`.
/// It borrows: keep the tensor as long as the span. Make others contiguous by `contiguous` or `clone`.
/// O(rank). Throws `ShapeError`, and `ReadOnlyError` for a mutable tensor that turns out not to be.
struct AsSpanFunction : PipelineStage {
    template <HasDims X>
        requires PlainOrOrdered<X> std::span<const typename X::value_type>
    operator()(const X& tensor) const { return (*this)(plain_tensor(tensor)); }
    template <ElementType T>
    std::span<const T> operator()(const Tensor<T>& tensor) const {
        return std::span<const T>(tensor);
    }
    template <ElementType T>
    std::span<T> operator()(const MutableTensor<T>& tensor) const {
        return std::span<T>(tensor);
    }
};
inline constexpr AsSpanFunction as_span;

} // namespace purview
