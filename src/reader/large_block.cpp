#include "reader/large_block.hpp"

#include "base/address_sanitizer.hpp"

#include <cstdint>
#include <limits>
#include <new>

#include <sys/mman.h>

namespace purview::inline v0_1 {

const bool kNewBlocksAreZeroed = !kAddressSanitizer;

LargeBlock new_block(std::size_t bytes) noexcept {
    // The addition below must not overflow; the address sanitizer would abort rather than return
    // null.
    constexpr std::size_t kMost =
        kAddressSanitizer ? std::size_t{1} << 36 : std::numeric_limits<std::size_t>::max() / 2;
    if (bytes > kMost) return {};
    bytes = in_whole_pages(bytes);
    if constexpr (kAddressSanitizer) {
        void* const data = ::operator new (bytes, std::align_val_t{kHugePageBytes}, std::nothrow);
        return data == nullptr ? LargeBlock{} : LargeBlock{static_cast<std::byte*>(data), bytes};
    }

    const std::size_t room = bytes + kHugePageBytes;
    void* const mapping =
        ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return {};
    auto* const first = static_cast<std::byte*>(mapping);
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(first)) % kHugePageBytes;
    if (before > 0) ::munmap(first, before);
    ::munmap(first + before + bytes, room - before - bytes);
#ifdef MADV_HUGEPAGE
    // A kernel without huge pages fails the call, which has no other consequence.
    ::madvise(first + before, bytes, MADV_HUGEPAGE);
#endif
    return {first + before, bytes};
}

void delete_block(LargeBlock block) noexcept {
    unpoison(block.data, block.bytes);
    if (block.of_heap)
        ::operator delete(block.data);
    else if constexpr (kAddressSanitizer)
        ::operator delete (block.data, std::align_val_t{kHugePageBytes});
    else
        ::munmap(block.data, block.bytes);
}

void offer_pages([[maybe_unused]] LargeBlock block) noexcept {
#ifdef MADV_FREE
    // The small pages of a block of the heap would take as long as writing them.
    if (!kAddressSanitizer && !block.of_heap) ::madvise(block.data, block.bytes, MADV_FREE);
#endif
}

} // namespace purview
