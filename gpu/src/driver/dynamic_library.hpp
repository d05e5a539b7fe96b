#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// A library that is opened at run time, and never closed: drivers have threads of their own.
class DynamicLibrary {
public:
    DynamicLibrary() = default;
    /// The first that opens of these: names for the loader, or paths with wildcards. Empty where none does.
    explicit DynamicLibrary(std::span<const std::string> names);

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    const std::string& path() const noexcept { return path_; }
    /// Assigns a function. Throws `DeviceError` if the library has none of that name.
    template <typename Function>
    void find(const char* name, Function*& function) const {
        function = reinterpret_cast<Function*>(address(name));
    }

private:
    void* address(const char* name) const;

    void* handle_ = nullptr;
    std::string path_;
};

/// Where a library of CUDA's may be, "nvrtc" say: for the loader, then in CUDA's folder, then in Python's packages. `majors` are
/// the versions to look for, best ones first.
std::vector<std::string> places_of_cuda_library(std::string_view name, std::span<const int> majors);

} // namespace purview
