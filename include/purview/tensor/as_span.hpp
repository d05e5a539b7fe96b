#pragma once

#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>

#include <cstddef>
#include <span>

namespace purview {

/// Throws `ShapeError` unless the tensor lies in memory, in row-major order without gaps, aligned.
PURVIEW_EXPORT const void* contiguous_memory(const TensorHandle& tensor);
/// The same for memory that may be written: throws `ReadOnlyError` too.
PURVIEW_EXPORT void* writable_contiguous_memory(const TensorHandle& tensor);

/// The elements of a contiguous tensor as a span, for calling what takes pointers: `as_span(t).data()`.
/// It borrows: keep the tensor as long as the span. Make others contiguous by `contiguous` or `clone`.
/// O(rank). Throws `ShapeError`, and `ReadOnlyError` for a mutable tensor that turns out not to be.
struct AsSpanFunction : PipelineStage {
    template <HasDims X>
        requires PlainOrOrdered<X> std::span<const typename X::value_type>
    operator()(const X& tensor) const { return (*this)(plain_tensor(tensor)); }
    template <ElementType T>
    std::span<const T> operator()(const Tensor<T>& tensor) const {
        return {static_cast<const T*>(contiguous_memory(tensor)),
                static_cast<std::size_t>(tensor.size())};
    }
    template <ElementType T>
    std::span<T> operator()(const MutableTensor<T>& tensor) const {
        return {static_cast<T*>(writable_contiguous_memory(tensor)),
                static_cast<std::size_t>(tensor.size())};
    }
};
inline constexpr AsSpanFunction as_span;

} // namespace purview
