#include "engine/machine_code/executable_memory.hpp"

#if defined(__unix__) || defined(__APPLE__)
# include <sys/mman.h>
# include <unistd.h>

# include <atomic>
# include <cstring>
#endif

namespace purview::inline v0_1::engine {

#if defined(__unix__) || defined(__APPLE__)

namespace {

std::atomic<std::size_t> executable_bytes{0};
std::atomic<bool> execution_is_forbidden{false};

/// Pages of `bytes` bytes, with the code at `offset`.
void* map_executable(std::span<const std::byte> code, std::size_t offset,
                     std::size_t bytes) noexcept {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    std::memcpy(static_cast<std::byte*>(pages) + offset, code.data(), code.size());
    if (mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0) return pages;
    munmap(pages, bytes);
    return nullptr;
}

} // namespace

ExecutableMemory::ExecutableMemory(std::span<const std::byte> code) noexcept {
    if (code.empty() || execution_is_forbidden.load(std::memory_order_relaxed)) return;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = (kBefore + code.size() + page - 1) / page * page;
    if (executable_bytes.fetch_add(bytes) + bytes <= kMostBytes) {
        pages_ = map_executable(code, kBefore, bytes);
        if (pages_ == nullptr) execution_is_forbidden = true;
    }
    if (pages_ != nullptr)
        bytes_ = bytes;
    else
        executable_bytes -= bytes;
}

ExecutableMemory::~ExecutableMemory() {
    if (pages_ == nullptr) return;
    munmap(pages_, bytes_);
    executable_bytes -= bytes_;
}

#else

ExecutableMemory::ExecutableMemory(std::span<const std::byte>) noexcept {}
ExecutableMemory::~ExecutableMemory() = default;

#endif

} // namespace purview::engine
