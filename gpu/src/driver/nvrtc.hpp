#pragma once

#include "dynamic_library.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// CUDA's compiler, opened when it is first asked for: what PURVIEW_NVRTC names, or else the one that fits the driver best.
class Nvrtc {
public:
    /// For a driver of this major version of CUDA; 0 where there is none. Throws `DeviceError` where no compiler is found.
    explicit Nvrtc(int driver_major);

    /// What its binaries depend on: its version, and what is compiled for `architecture`.
    std::string identity(int architecture) const;
    /// A binary for the architecture (90 is sm_90); or PTX, which the driver translates, where the compiler does not know
    /// it or belongs to a newer CUDA than the driver. Throws `DeviceError` with the compiler's words, prefixed by `device`.
    std::vector<std::byte> compile(const std::string& source, int architecture,
                                   const std::string& device) const;

private:
    struct Target {
        int architecture;
        bool ptx;
    };
    Target target(int architecture) const;

    DynamicLibrary library_;
    int driver_major_, major_ = 0, minor_ = 0;
    std::vector<int> architectures_;

    int (*create_)(void**, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
    int (*compile_)(void*, int, const char* const*) = nullptr;
    int (*cubin_size_)(void*, std::size_t*) = nullptr;
    int (*cubin_)(void*, char*) = nullptr;
    int (*ptx_size_)(void*, std::size_t*) = nullptr;
    int (*ptx_)(void*, char*) = nullptr;
    int (*log_size_)(void*, std::size_t*) = nullptr;
    int (*log_)(void*, char*) = nullptr;
    int (*destroy_)(void**) = nullptr;
    const char* (*error_text_)(int) = nullptr;
};

} // namespace purview
