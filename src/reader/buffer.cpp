#include <purview/reader/buffer.hpp>

#include <fmt/format.h>

#include <cstdint>

namespace purview::inline v0_1 {
namespace {

alignas(kAllocationAlignment) std::byte no_elements[kAllocationAlignment];

} // namespace

#define PURVIEW_DEFINE_BUFFERS(T) PURVIEW_BUFFERS_OF(, T);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_BUFFERS)

void throw_without_owner(const char* what) {
    throw Error(fmt::format(
        "{}: the owner is null; memory that the caller keeps alive is borrowed by saying so",
        what));
}

void* empty_memory() noexcept { return no_elements; }

StorageId checked_memory_layout(const void* data, index_t size, index_t stride_bytes,
                                index_t element_bytes, index_t alignment, const char* what) {
    if (size < 0) throw ShapeError(fmt::format("{}: size {} is negative", what, size));
    if (size == 0) return {data == nullptr ? empty_memory() : data, 0};
    if (data == nullptr)
        throw ShapeError(fmt::format("{}: {} elements at a null pointer", what, size));

    // The elements cover [low, high) relative to `data`, which must fit the address space.
    index_t last = 0;
    index_t high = 0;
    bool overflows = __builtin_mul_overflow(size - 1, stride_bytes, &last);
    const index_t low = last < 0 ? last : 0;
    overflows |= __builtin_add_overflow(last < 0 ? 0 : last, element_bytes, &high);
    index_t bytes = 0;
    overflows |= __builtin_sub_overflow(high, low, &bytes);
    std::uintptr_t edge = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    overflows |= __builtin_add_overflow(address, low, &edge);
    overflows |= __builtin_add_overflow(address, high, &edge);
    if (overflows)
        throw ShapeError(fmt::format("{}: {} elements with a stride of {} bytes leave the address "
                                     "space",
                                     what, size, stride_bytes));

    if (alignment > 1) {
        const bool aligned = address % static_cast<std::uintptr_t>(alignment) == 0 &&
                             (size == 1 || stride_bytes % alignment == 0);
        if (!aligned)
            throw ShapeError(fmt::format("{}: a stride of {} bytes or the address does not fit the "
                                         "alignment {} of an element type that needs it",
                                         what, stride_bytes, alignment));
        const bool overlap =
            stride_bytes != 0 && stride_bytes > -element_bytes && stride_bytes < element_bytes;
        if (size > 1 && overlap)
            throw ShapeError(fmt::format("{}: elements of {} bytes with a stride of {} bytes "
                                         "overlap",
                                         what, element_bytes, stride_bytes));
    }
    return {static_cast<const std::byte*>(data) + low, bytes};
}

} // namespace purview
