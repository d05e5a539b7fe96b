#pragma once

#include <purview/base/index.hpp>

#include <cstddef>

#include <sys/types.h>

namespace purview {

/// Where a file lies in memory. One that is mapped twice lies at two addresses, and a write at one of them
/// is seen at the other.
struct FileMapping {
    const std::byte* first = nullptr;
    index_t bytes = 0;
    ::dev_t device = 0;
    ::ino_t inode = 0;
    bool is_private = false; ///< copy-on-write: writes to it stay there

    bool holds(const std::byte* address) const noexcept {
        return address >= first && address < first + bytes;
    }
};

/// Every `MappedFile` is known here from when it is mapped until before it is unmapped.
void add_file_mapping(const FileMapping& mapping);
void remove_file_mapping(const std::byte* first) noexcept;

/// False, and that at the cost of a load, unless some file is mapped more than once.
bool has_files_mapped_twice() noexcept;

/// What is to be added to addresses in the mapping that `b` lies in for the addresses of the same bytes in
/// the mapping that `a` lies in, if these are two of one file, and not both private; else 0.
std::ptrdiff_t between_mappings(const void* a, const void* b) noexcept;

} // namespace purview
