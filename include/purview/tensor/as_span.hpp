#pragma once

#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <span>

namespace purview::inline v0_1 {

/// The elements of a contiguous tensor as a span, for functions that take pointers:
/// `as_span(t).data()`. The span borrows: keep the tensor as long as the span. `contiguous` or
/// `clone` makes other tensors contiguous. O(rank). Throws `ShapeError` for a tensor that is not
/// contiguous, or not aligned in memory, `ReadOnlyError` for a mutable tensor that is not writable.
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
