#pragma once

#include <purview/dimensions/dimensions.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include <utility>

namespace purview::inline v0_1::engine {

/// The elements of a buffer that the engine has allocated for itself.
template <typename T>
T* data_of(const BufferPtr<T>& buffer) {
    return static_cast<T*>(buffer->writable_memory().data);
}

/// An operand of the elements of `buffer` through `dims`. It shares the ownership of the buffer.
template <typename T>
Operand over_buffer(const BufferPtr<T>& buffer, Dimensions dims) {
    return {make_node<Leaf>(buffer, *buffer), std::move(dims)};
}

} // namespace purview::engine
