#pragma once

#include <purview/base/index.hpp>

#include "base/descriptor.hpp"

#include <atomic>
#include <cstddef>
#include <future>
#include <span>
#include <string>

namespace purview::inline v0_1 {

/// What `temporary_directory` and `temporary_limit` tell.
std::string temporary_folder();
std::atomic<index_t>& temporary_file_limit();

/// A file without a name in the folder for temporary files: it goes with this object, or with the process, however that
/// ends. Bytes are zero until they are written, and count against the limit for these. Throws `FormatError` naming `what`
/// for what the system refuses, a full disk among that.
class PURVIEW_EXPORT TemporaryFile {
public:
    /// Throws `MemoryLimitError` where so many bytes are beyond the limit, and `FormatError` where the disk has not as
    /// many free.
    TemporaryFile(const char* what, index_t bytes);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    const char* what() const noexcept { return what_; }
    /// Writes behind all that was appended before, and returns where. Where that has no room, from one thread alone, the
    /// file grows; throws as the constructor does.
    index_t append(std::span<const std::byte> bytes);
    index_t appended() const noexcept { return appended_; }
    /// From any number of threads, those below too.
    void write(index_t at, std::span<const std::byte> bytes);
    void read(index_t at, std::span<std::byte> bytes) const;

    /// All bytes as memory, which the caller unmaps. Throws as the constructor does.
    std::byte* map() const;

    /// These bytes are not read any more: the system may have their space, and need not write them to the disk.
    void forget(index_t at, index_t bytes) const noexcept;

    struct Part {
        index_t at;
        std::span<const std::byte> bytes;
    };
    /// Writes these beside what the calling thread does next, once those of the call before are written: from one thread.
    /// They stay as they are until the next call, or `finish`, returns, which throw for them.
    void write_later(Part first, Part second = {0, {}});
    void finish();

private:
    void grow(index_t bytes);

    const char* what_;
    index_t bytes_;
    std::atomic<index_t> appended_ = 0;
    std::string folder_;
    file::Descriptor file_;
    std::future<void> later_; ///< waits, and so comes last
};

} // namespace purview
