#include "reader/temporary_memory.hpp"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace purview::inline v0_1 {

TemporaryMemory::TemporaryMemory(const char* what, index_t bytes)
    : file_(what, std::max<index_t>(bytes, 1)), bytes_(bytes), data_(file_.map()) {}

TemporaryMemory::~TemporaryMemory() {
    ::munmap(data_, static_cast<std::size_t>(std::max<index_t>(bytes_, 1)));
}

void TemporaryMemory::rest(index_t first, index_t bytes) const noexcept {
    static const auto page = static_cast<index_t>(::sysconf(_SC_PAGESIZE));
    const index_t from = (first + page - 1) / page * page;
    const index_t to = (first + bytes) / page * page;
    // Of a file that is shared the pages keep what was written.
    if (from < to) ::madvise(data_ + from, static_cast<std::size_t>(to - from), MADV_DONTNEED);
}

} // namespace purview
