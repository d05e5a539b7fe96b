#pragma once

#include <purview/reader/buffer.hpp>

namespace purview::inline v0_1::engine {

/// The elements of a buffer that the engine has allocated for itself.
template <typename T>
T* data_of(const BufferPtr<T>& buffer) {
    return static_cast<T*>(buffer->writable_memory().data);
}

} // namespace purview::engine
