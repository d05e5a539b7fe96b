#include "reader/strided_elements.hpp"

#include "dtype/element_bytes.hpp"

#include <cstddef>
#include <cstring>

namespace purview::inline v0_1 {

void copy_elements(DType dtype, index_t count, MemoryView source, MutableMemoryView destination) {
    const TypeDescriptor& type = dtype.descriptor();
    const index_t size = dtype.size_bytes();
    const auto* const from = static_cast<const std::byte*>(source.data);
    auto* const to = static_cast<std::byte*>(destination.data);
    const index_t from_stride = source.stride_bytes;
    const index_t to_stride = destination.stride_bytes;
    const bool contiguous = from_stride == size && to_stride == size;
    if (!type.trivial) {
        if (contiguous) return type.copy(from, to, count);
        for (index_t i = 0; i < count; ++i)
            type.copy(from + i * from_stride, to + i * to_stride, 1);
        return;
    }
    if (contiguous) {
        std::memcpy(to, from, static_cast<std::size_t>(count * size));
        return;
    }
    with_element_bytes(size, [=](auto bytes) {
        for (index_t i = 0; i < count; ++i)
            std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
    });
}

} // namespace purview
