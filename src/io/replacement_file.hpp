#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include "base/descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace purview::inline v0_1::file {

/// A file that is written beside the one it replaces, and replaces it atomically. Until `commit`
/// nothing is seen under the final name; without it, nothing remains. Files left by processes that
/// were killed meanwhile are removed by the next writer to the same directory. purview::sparse uses
/// it too.
class PURVIEW_EXPORT ReplacementFile {
public:
    /// `path` need not exist; if it does, it has to be a writable regular file. A symbolic link is
    /// followed: its target is replaced. Errors begin with `what`. Throws `FormatError`.
    ReplacementFile(const char* what, const std::string& path);
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;
    /// Removes the temporary file if it was not committed.
    ~ReplacementFile();

    /// Writes after the end of the last write, or where `seek` went. Throws `FormatError`.
    void write(std::span<const std::byte> bytes);
    /// Moves to an offset within what has been written, to overwrite it. Throws `FormatError`.
    void seek(index_t offset_bytes);
    /// Where it is until then: for other processes, which write parts of it.
    const std::string& temporary() const noexcept { return temporary_; }
    /// Gives the file its final name, by default when all of it is on the disk. Throws `FormatError`.
    enum class Flush : bool { no, yes };
    void commit(Flush flush = Flush::yes);

private:
    void create_temporary(unsigned permissions);
    bool try_to_create(const std::string& name, unsigned permissions);
    void follow_permissions() const;
    [[noreturn]] void fail(const char* step, const std::string& path, int error) const;

    const char* what_;
    std::string target_; ///< the path with all symbolic links resolved
    std::string
        directory_; ///< the directory of the target, with a slash at its end; empty for the current
                    ///< one
    std::string temporary_; ///< empty if there is no temporary file
    Descriptor descriptor_;
};

} // namespace purview::file
