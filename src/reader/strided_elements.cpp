#include "reader/strided_elements.hpp"

#include <cstddef>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

template <std::size_t Bytes>
void copy_plain(index_t count, const std::byte* from, index_t from_stride, std::byte* to,
                index_t to_stride) {
    for (index_t i = 0; i < count; ++i)
        std::memcpy(to + i * to_stride, from + i * from_stride, Bytes);
}

} // namespace

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
    switch (size) {
    case 1: return copy_plain<1>(count, from, from_stride, to, to_stride);
    case 2: return copy_plain<2>(count, from, from_stride, to, to_stride);
    case 4: return copy_plain<4>(count, from, from_stride, to, to_stride);
    case 8: return copy_plain<8>(count, from, from_stride, to, to_stride);
    case 16: return copy_plain<16>(count, from, from_stride, to, to_stride);
    default:
        for (index_t i = 0; i < count; ++i)
            std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(size));
    }
}

} // namespace purview
