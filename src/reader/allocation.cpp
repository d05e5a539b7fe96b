#include "base/address_sanitizer.hpp"
#include "base/free_blocks.hpp"
#include "reader/large_block.hpp"

#include <purview/base/checked.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/element_refs.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace purview::inline v0_1 {
namespace {

/// An object without content, for allocations of trailing bytes alone.
struct Nothing {};

void* block_of(std::size_t bytes) {
    if (bytes >= kKeptBytes) {
        bytes = in_heap_size(bytes);
        if (const LargeBlock block = reuse_heap_block(bytes)) {
            unpoison(block.data, bytes);
            return block.data;
        }
    } else if (void* const block = free_blocks.take(bytes)) {
        return block;
    }
    if (void* const block = ::operator new(bytes, std::nothrow)) return block;
    trim_recycled_memory();
    return ::operator new(bytes);
}

std::shared_ptr<void> allocate(index_t bytes, index_t alignment, bool zeroed) {
    if (bytes < 0) throw std::bad_alloc();
    if (bytes < kLargeBytes) {
        TrailingBytes trailing(bytes, alignment, zeroed);
        const auto owner = std::allocate_shared<Nothing>(TrailingAllocator<Nothing>(trailing));
        return {owner, trailing.data()};
    }
    // Blocks are aligned to huge pages; a larger alignment needs extra room.
    const auto excess = static_cast<std::size_t>(alignment) > kHugePageBytes
                            ? static_cast<std::size_t>(alignment)
                            : std::size_t{0};
    const LargeBlock block = allocate_block(static_cast<std::size_t>(bytes) + excess, zeroed);
    // If constructing this shared pointer throws, it calls the deleter, which releases the block.
    const std::shared_ptr<void> owner(block.data, [block](void*) { release_block(block); });
    if (excess == 0) return owner;
    const std::uintptr_t padding = (0 - reinterpret_cast<std::uintptr_t>(block.data)) % excess;
    return {owner, block.data + padding};
}

} // namespace

index_t checked_bytes(index_t count, index_t element_bytes, const char* what) {
    if (count < 0) throw ShapeError(fmt::format("{}: size {} is negative", what, count));
    return checked_multiply(count, element_bytes, what);
}

std::shared_ptr<void> allocate_bytes(index_t bytes, index_t alignment) {
    return allocate(bytes, alignment, false);
}

std::shared_ptr<void> allocate_zeroed_bytes(index_t bytes, index_t alignment) {
    return allocate(bytes, alignment, true);
}

TrailingBytes::TrailingBytes(index_t bytes, index_t alignment, bool zeroed) noexcept
    : bytes_(bytes),
      alignment_(alignment),
      // The address sanitizer needs room before the elements, too.
      room_(static_cast<std::size_t>(bytes + (kAddressSanitizer ? 2 : 1) * alignment)),
      zeroed_(zeroed) {}

void* TrailingBytes::allocate_object(std::size_t object_bytes) {
    const auto bytes = static_cast<std::size_t>(bytes_);
    const auto alignment = static_cast<std::size_t>(alignment_);
    const std::size_t room = object_bytes + room_;
    auto* const block = static_cast<std::byte*>(block_of(room));

    std::byte* data = block + object_bytes + (kAddressSanitizer ? alignment : 0);
    data += (0 - reinterpret_cast<std::uintptr_t>(data)) & (alignment - 1);
    if (zeroed_) std::memset(data, 0, bytes);
    poison(block + object_bytes, static_cast<std::size_t>(data - block) - object_bytes);
    poison(data + bytes, static_cast<std::size_t>(block + room - data) - bytes);
    data_ = data;
    return block;
}

void TrailingBytes::free_object(void* object, std::size_t object_bytes, std::size_t room) noexcept {
    if (has_element_refs() && keeps_allocation(object, static_cast<index_t>(object_bytes)))
        [[unlikely]]
        return;
    const std::size_t bytes = object_bytes + room;
    if (bytes >= kKeptBytes)
        release_block({static_cast<std::byte*>(object), in_heap_size(bytes), true});
    else
        free_blocks.give(object, bytes);
}

} // namespace purview
