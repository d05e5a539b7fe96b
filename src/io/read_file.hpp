#pragma once

#include "base/descriptor.hpp"

#include <purview/base/index.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace purview::inline v0_1::file {

/// A regular file that is read by position, also by several threads at once; or none, where there is none.
class PURVIEW_EXPORT ReadFile {
public:
    /// `what` begins the messages of errors. Throws `FormatError` where there is something else, or what cannot be read.
    ReadFile(std::string what, std::string path);

    explicit operator bool() const noexcept { return static_cast<bool>(descriptor_); }
    const std::string& path() const noexcept { return path_; }
    /// When it was opened.
    index_t size_bytes() const noexcept { return size_; }

    /// Fills `out` with the bytes from `offset` on. Throws `FormatError` where the file has become shorter.
    void read(index_t offset, std::span<std::byte> out) const;
    void will_read(index_t offset, index_t bytes) const noexcept;

private:
    std::string what_;
    std::string path_;
    Descriptor descriptor_;
    index_t size_ = 0;
};

} // namespace purview::file
