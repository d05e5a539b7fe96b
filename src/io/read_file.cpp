#include "read_file.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace purview::inline v0_1::file {

ReadFile::ReadFile(std::string what, std::string path)
    : what_(std::move(what)), path_(std::move(path)) {
    // Non-blocking, as opening a pipe would wait for its other end.
    descriptor_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor_) {
        if (errno == ENOENT || errno == ENOTDIR) return;
        throw_system_error(what_.c_str(), "open", path_, errno);
    }
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0)
        throw_system_error(what_.c_str(), "examine", path_, errno);
    if (!S_ISREG(status.st_mode))
        throw FormatError(fmt::format("{}: '{}' is not a regular file", what_, path_));
    size_ = static_cast<index_t>(status.st_size);
}

void ReadFile::read(index_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const auto got =
            ::pread(descriptor_.get(), out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw_system_error(what_.c_str(), "read", path_, errno);
        if (got == 0)
            throw FormatError(
                fmt::format("{}: '{}' was cut short while it was read, {} bytes before its end",
                            what_, path_, out.size()));
        out = out.subspan(static_cast<std::size_t>(got));
        offset += got;
    }
}

void ReadFile::will_read(index_t offset, index_t bytes) const noexcept {
    ::posix_fadvise(descriptor_.get(), offset, bytes, POSIX_FADV_WILLNEED);
}

} // namespace purview::file
