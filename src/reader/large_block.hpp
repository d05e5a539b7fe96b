#pragma once

#include <bit>
#include <cstddef>

namespace purview::inline v0_1 {

/// Memory that is kept for reuse when it is freed: directly from the operating system, in whole huge pages, or from
/// the heap, of a size of `in_heap_size`. Plain data: its holder frees it.
struct LargeBlock {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool of_heap = false;

    explicit operator bool() const noexcept { return data != nullptr; }
};

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// The size of a block for `bytes` bytes: whole huge pages. Sizes for which that would overflow
/// stay as they are.
constexpr std::size_t in_whole_pages(std::size_t bytes) noexcept {
    const std::size_t rounded = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    return rounded < bytes ? bytes : rounded;
}

/// The least bytes of a block from the heap that is kept.
inline constexpr std::size_t kKeptBytes = std::size_t{32} << 10;

/// The size of a block from the heap for `bytes` bytes: one of eight between a power of two and the next, so that a
/// block that is kept fits most requests of about its size.
constexpr std::size_t in_heap_size(std::size_t bytes) noexcept {
    const std::size_t step = std::bit_floor(bytes) / 8;
    return (bytes + step - 1) / step * step;
}

/// Whether new blocks are zeroed. Not under the address sanitizer, where they come from the heap,
/// so that the sanitizer knows who allocated them and finds the pointers in them.
extern const bool kNewBlocksAreZeroed;

/// Allocates a block of at least `bytes`, aligned to `kHugePageBytes`; an empty block if there is
/// not enough memory.
LargeBlock new_block(std::size_t bytes) noexcept;
void delete_block(LargeBlock block) noexcept;

/// Allows the operating system to take the pages of an unused large block; the block stays usable.
void offer_pages(LargeBlock block) noexcept;

/// A recycled block or a new one, of at least `bytes`; zeroed if asked for. Throws `std::bad_alloc`
/// if there is not enough memory even after all recycled blocks have been released.
LargeBlock allocate_block(std::size_t bytes, bool zeroed);
/// A block of the heap of exactly `bytes`, which are an `in_heap_size`, that was kept; empty if there is none.
LargeBlock reuse_heap_block(std::size_t bytes) noexcept;
/// Keeps the block for reuse if the limit allows, possibly releasing others for it; else deletes
/// it.
void release_block(LargeBlock block) noexcept;

} // namespace purview
