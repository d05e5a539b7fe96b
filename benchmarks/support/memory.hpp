#pragma once

/// Memory as a careful engineer would get it for hand-written loops: aligned to cache lines, large
/// blocks in huge pages, not initialised.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
# include <sys/mman.h>
#endif

namespace bench {

struct FreeMemory {
    void operator()(void* memory) const { std::free(memory); }
};

/// Shared, so that the lambdas of a case can hold it.
template <typename T>
using Memory = std::shared_ptr<T[]>;

template <typename T>
Memory<T> allocate(std::size_t count) {
    constexpr std::size_t kHugePage = std::size_t{1} << 21;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    if (bytes >= kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return Memory<T>(static_cast<T*>(memory), FreeMemory{});
}

} // namespace bench
