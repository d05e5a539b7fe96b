#include "nvrtc.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace purview::inline v0_1::gpu::detail {
namespace {

// No contraction, and everything rounded: the host's bits.
constexpr std::array nvrtc_options{"--fmad=false",    "--ftz=false",
                                   "--prec-div=true", "--prec-sqrt=true",
                                   "--std=c++17",     "--device-as-default-execution-space"};

DynamicLibrary open_nvrtc(int driver_major) {
    if (const char* given = std::getenv("PURVIEW_NVRTC"); given != nullptr && *given != '\0') {
        DynamicLibrary library(std::array{std::string(given)});
        if (!library) throw DeviceError(fmt::format("PURVIEW_NVRTC: '{}' cannot be opened", given));
        return library;
    }
    // The driver's own version, older ones, which it runs too, then newer ones.
    std::vector<int> majors;
    const int known = 13, own = driver_major > 0 ? driver_major : known;
    for (int m = own; m >= 11; --m) majors.push_back(m);
    for (int m = own + 1; m <= known; ++m) majors.push_back(m);
    // Version 11 has names of its own.
    std::vector<std::string> places = places_of_cuda_library("nvrtc", majors);
    places.insert(places.end() - 1, {"libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so.11.2"});
    DynamicLibrary library(places);
    if (!library)
        throw DeviceError(
            "CUDA's compiler, libnvrtc.so, was found neither by the loader nor in CUDA's folder nor in Python's packages: "
            "install it (pip install nvidia-cuda-nvrtc), or name the file by PURVIEW_NVRTC");
    return library;
}

} // namespace

Nvrtc::Nvrtc(int driver_major) : library_(open_nvrtc(driver_major)), driver_major_(driver_major) {
    library_.find("nvrtcCreateProgram", create_);
    library_.find("nvrtcCompileProgram", compile_);
    library_.find("nvrtcGetCUBINSize", cubin_size_);
    library_.find("nvrtcGetCUBIN", cubin_);
    library_.find("nvrtcGetPTXSize", ptx_size_);
    library_.find("nvrtcGetPTX", ptx_);
    library_.find("nvrtcGetProgramLogSize", log_size_);
    library_.find("nvrtcGetProgramLog", log_);
    library_.find("nvrtcDestroyProgram", destroy_);
    library_.find("nvrtcGetErrorString", error_text_);
    int (*version)(int*, int*) = nullptr;
    int (*count)(int*) = nullptr;
    int (*architectures)(int*) = nullptr;
    library_.find("nvrtcVersion", version);
    library_.find("nvrtcGetNumSupportedArchs", count);
    library_.find("nvrtcGetSupportedArchs", architectures);
    int known = 0;
    if (version(&major_, &minor_) != 0 || count(&known) != 0 || known <= 0)
        throw DeviceError(fmt::format("{}: does not say what it can compile for", library_.path()));
    architectures_.resize(static_cast<std::size_t>(known));
    if (architectures(architectures_.data()) != 0)
        throw DeviceError(fmt::format("{}: does not say what it can compile for", library_.path()));
    std::ranges::sort(architectures_);
}

Nvrtc::Target Nvrtc::target(int architecture) const {
    const auto above = std::ranges::upper_bound(architectures_, architecture);
    const int known = above == architectures_.begin() ? architectures_.front() : *(above - 1);
    return {known, known != architecture || (driver_major_ > 0 && major_ > driver_major_)};
}

std::string Nvrtc::identity(int architecture) const {
    const Target t = target(architecture);
    return fmt::format("NVRTC {}.{} {}_{} {}", major_, minor_, t.ptx ? "compute" : "sm",
                       t.architecture, fmt::join(nvrtc_options, " "));
}

std::vector<std::byte> Nvrtc::compile(const std::string& source, int architecture,
                                      const std::string& device) const {
    const Target t = target(architecture);
    struct Program {
        const Nvrtc& nvrtc;
        void* handle = nullptr;
        ~Program() {
            if (handle != nullptr) nvrtc.destroy_(&handle);
        }
    } program{*this};
    const auto check = [&](int code, const char* function) {
        if (code != 0)
            throw DeviceError(fmt::format("{}: {}: {}", device, function, error_text_(code)));
    };
    check(create_(&program.handle, source.c_str(), "purview.cu", 0, nullptr, nullptr),
          "nvrtcCreateProgram");
    const std::string target_option =
        fmt::format("--gpu-architecture={}_{}", t.ptx ? "compute" : "sm", t.architecture);
    std::vector<const char*> options{target_option.c_str()};
    options.insert(options.end(), nvrtc_options.begin(), nvrtc_options.end());
    if (const int code = compile_(program.handle, static_cast<int>(options.size()), options.data());
        code != 0) {
        std::size_t bytes = 0;
        std::string log;
        if (log_size_(program.handle, &bytes) == 0 && bytes > 1) {
            log.resize(bytes);
            if (log_(program.handle, log.data()) != 0) log.clear();
            log.resize(std::min<std::size_t>(log.find('\0'), 4000));
        }
        throw DeviceError(fmt::format("{}: a kernel was not compiled by NVRTC {}.{}: {}\n{}",
                                      device, major_, minor_, error_text_(code), log));
    }
    std::size_t bytes = 0;
    check((t.ptx ? ptx_size_ : cubin_size_)(program.handle, &bytes), "nvrtcGetCUBINSize");
    std::vector<std::byte> binary(bytes);
    check((t.ptx ? ptx_ : cubin_)(program.handle, reinterpret_cast<char*>(binary.data())),
          "nvrtcGetCUBIN");
    return binary;
}

} // namespace purview
