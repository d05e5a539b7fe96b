#include "hostile/allocation_failures.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// glibc's own, which the functions below stand in front of, for the whole process.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace hostile {
namespace {

std::atomic<bool> counting = false;
std::atomic<Allocator> counted = Allocator::heap;
std::atomic<std::size_t> failing = 0;
std::atomic<std::size_t> count = 0;
std::atomic<bool> failed = false;

struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

/// Where CRoaring's code lies, if it is a library of its own.
Range find_roaring() noexcept {
    Range found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            if (std::strstr(info->dlpi_name, "libroaring") == nullptr) return 0;
            auto& range = *static_cast<Range*>(to);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& segment = info->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
                range.begin = info->dlpi_addr + segment.p_vaddr;
                range.end = range.begin + segment.p_memsz;
            }
            return 1;
        },
        &found);
    return found;
}

Range roaring;

bool fails(Allocator allocator, const void* caller) noexcept {
    if (!counting.load(std::memory_order_relaxed) || counted != allocator) return false;
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    if (address >= roaring.begin && address < roaring.end) return false;
    if (++count != failing) return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

} // namespace

void fail_allocation(Allocator allocator, std::size_t k) noexcept {
    if (roaring.end == 0) roaring = find_roaring();
    counted = allocator;
    failing = k;
    count = 0;
    failed = false;
    counting = true;
}

Allocations stop_failing() noexcept {
    counting = false;
    return {count, failed};
}

} // namespace hostile

using hostile::Allocator;
using hostile::fails;

extern "C" {

void* malloc(std::size_t size) {
    return fails(Allocator::heap, __builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return fails(Allocator::heap, __builtin_return_address(0)) ? nullptr
                                                               : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
    return fails(Allocator::heap, __builtin_return_address(0)) ? nullptr
                                                               : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails(Allocator::heap, __builtin_return_address(0)) ? nullptr
                                                               : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails(Allocator::heap, __builtin_return_address(0)) ? nullptr
                                                               : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
    if (fails(Allocator::heap, __builtin_return_address(0))) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out == nullptr ? ENOMEM : 0;
}
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
    if (fails(Allocator::mapping, __builtin_return_address(0))) return MAP_FAILED;
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
}
