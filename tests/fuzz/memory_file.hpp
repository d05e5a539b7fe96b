#pragma once

#include <purview/base/errors.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

/// Ends the fuzzer with what does not hold.
inline void require(bool holds, const char* law) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", law);
    std::abort();
}

/// What `f` gives, or nothing where it throws one of the library's errors.
template <typename F>
auto tried(F&& f) -> std::optional<decltype(f())> {
    try {
        return f();
    } catch (const purview::Error&) {
        return std::nullopt;
    }
}

/// A file in memory that has a path.
class MemoryFile {
public:
    explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
        require(descriptor_ >= 0, "no memory file");
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
    void assign(std::span<const std::byte> bytes) const {
        require(::ftruncate(descriptor_, 0) == 0, "truncate");
        require(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
                    static_cast<::ssize_t>(bytes.size()),
                "write");
    }

private:
    int descriptor_;
};

} // namespace fuzz
