#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include <sys/types.h>

namespace purview::inline v0_1 {

/// A file mapped into memory. If it is mapped twice, its bytes have two addresses, and a write at
/// one of them is seen at the other.
struct FileMapping {
    const std::byte* first = nullptr;
    index_t bytes = 0;
    ::dev_t device = 0;
    ::ino_t inode = 0;
    bool is_private = false; ///< copy-on-write: writes stay in this mapping
    std::string path;

    bool holds(const std::byte* address) const noexcept {
        return address >= first && address < first + bytes;
    }
};

/// Registers a mapping. Every `MappedFile` is registered from its mapping until just before it is
/// unmapped.
void add_file_mapping(const FileMapping& mapping);
void remove_file_mapping(const std::byte* first) noexcept;

/// False unless some file is mapped more than once. Costs one load.
bool has_files_mapped_twice() noexcept;

/// The offset from addresses in the mapping that contains `b` to those of the same bytes in the
/// mapping that contains `a`, if both mappings are of one file and not both private; else 0.
std::ptrdiff_t between_mappings(const void* a, const void* b) noexcept;

/// The mapping that holds an address, if there is one.
std::optional<FileMapping> mapping_at(const void* address);

} // namespace purview
