#pragma once

#include <cstddef>

namespace purview {

/// Memory straight from the operating system, in whole huge pages. Plain data: who holds it frees it.
struct LargeBlock {
    std::byte* data = nullptr;
    std::size_t bytes = 0;

    explicit operator bool() const noexcept { return data != nullptr; }
};

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// What a block for so many bytes holds: whole huge pages. Sizes that no machine has stay as they are.
constexpr std::size_t in_whole_pages(std::size_t bytes) noexcept {
    const std::size_t rounded = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    return rounded < bytes ? bytes : rounded;
}

/// False: a new block holds anything. Under the address sanitizer it comes from the heap, which knows
/// who allocated it and looks for pointers in it.
extern const bool kNewBlocksAreZeroed;

/// A block of at least `bytes`, at a multiple of `kHugePageBytes`; empty if there is no such memory.
LargeBlock new_block(std::size_t bytes) noexcept;
void delete_block(LargeBlock block) noexcept;

/// Lets the operating system take the pages of a block that nobody reads; it stays usable.
void offer_pages(LargeBlock block) noexcept;

/// A block that was kept, or a new one, of at least `bytes`; zeroed if asked for. Throws
/// `std::bad_alloc` if there is no memory even when all that is kept has been released.
LargeBlock take_block(std::size_t bytes, bool zeroed);
/// Keeps the block if the limit allows, perhaps instead of others, else deletes it.
void give_block(LargeBlock block) noexcept;

} // namespace purview
