#pragma once

#include <purview/base/config.hpp>

#include <string>
#include <utility>

namespace purview::inline v0_1::file {

/// Owns a file descriptor of the operating system, or none (-1). The destructor closes it.
class PURVIEW_EXPORT Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) noexcept : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor();

    explicit operator bool() const noexcept { return value_ >= 0; }
    int get() const noexcept { return value_; }
    /// Hands the descriptor over to the caller, who closes it.
    int release() noexcept {
        const int value = value_;
        value_ = -1;
        return value;
    }

private:
    int value_ = -1;
};

/// Throws the `FormatError` `what: cannot step 'path': reason`, with the reason that `error` (a
/// value of errno) stands for.
[[noreturn]] PURVIEW_EXPORT void throw_system_error(const char* what, const char* step,
                                                    const std::string& path, int error);

/// Throws a `FormatError` if the path has a zero byte in it: the system would take the path to end
/// there.
PURVIEW_EXPORT void require_path(const char* what, const char* step, const std::string& path);

/// The path from the root on, so that it leads to the same file wherever the process goes. An empty one
/// stays empty. Throws as `require_path` does, and where the working directory is gone.
PURVIEW_EXPORT std::string whole_path(const char* what, const char* step, const std::string& path);

} // namespace purview::file
