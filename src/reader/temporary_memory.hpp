#pragma once

#include "reader/temporary_file.hpp"

#include <purview/base/index.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

/// Memory whose pages are those of a temporary file: the system writes them there, and reads them again, as it needs
/// room. Zero until it is written. Counts against the limit of such files, not against that of memory.
class TemporaryMemory {
public:
    /// Throws as `TemporaryFile` does.
    TemporaryMemory(const char* what, index_t bytes);
    TemporaryMemory(const TemporaryMemory&) = delete;
    TemporaryMemory& operator=(const TemporaryMemory&) = delete;
    ~TemporaryMemory();

    std::byte* data() const noexcept { return data_; }
    /// What lies whole pages within these bytes is not touched soon: it takes no room in this process until it is. It
    /// stays as it is. No other thread may be in these bytes.
    void rest(index_t first, index_t bytes) const noexcept;

private:
    TemporaryFile file_;
    index_t bytes_;
    std::byte* data_;
};

} // namespace purview
