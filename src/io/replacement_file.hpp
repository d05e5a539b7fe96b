#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include "base/descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace purview::file {

/// A file that is written beside the one it replaces, and takes its place in one step. Until `commit`
/// nothing is seen under the final name; without it, nothing remains. What processes left that were killed meanwhile
/// is removed by the next to write into the same folder. purview::sparse writes with it too.
class PURVIEW_EXPORT ReplacementFile {
public:
    /// `path` need not exist; if it does, it has to be a regular file that may be written. A symbolic
    /// link is followed: what it leads to is replaced. Errors begin with `what`. Throws `FormatError`.
    ReplacementFile(const char* what, const std::string& path);
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;
    /// Removes what was not committed.
    ~ReplacementFile();

    /// Writes where the last write ended, or `seek` went. Throws `FormatError`.
    void write(std::span<const std::byte> bytes);
    /// Goes to a place of what has been written, to write it again. Throws `FormatError`.
    void seek(index_t offset_bytes);
    /// Sees that all is on the disk, and gives it its name. Throws `FormatError`.
    void commit();

private:
    void create_temporary(unsigned permissions);
    bool try_to_create(const std::string& name, unsigned permissions);
    void follow_permissions() const;
    [[noreturn]] void fail(const char* step, const std::string& path, int error) const;

    const char* what_;
    std::string target_; ///< behind all symbolic links
    std::string
        directory_; ///< where that lies, with the slash at its end; empty for the current one
    std::string temporary_; ///< empty when there is none
    Descriptor descriptor_;
};

} // namespace purview::file
