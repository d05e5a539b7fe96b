// Tests driver/nvrtc.hpp, where CUDA's compiler is found: it needs no device.
#include "devices.hpp"

#include <driver/nvrtc.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

std::unique_ptr<detail::Nvrtc> nvrtc(int driver_major) {
    try {
        return std::make_unique<detail::Nvrtc>(driver_major);
    } catch (const pv::DeviceError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("NVRTC"));
        WARN("there is no NVRTC: nothing is tested");
        return nullptr;
    }
}

std::string_view text_of(const std::vector<std::byte>& binary) {
    return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

constexpr const char* small_kernel =
    "extern \"C\" __global__ void f(float* x) { x[threadIdx.x] = x[threadIdx.x] * 2 + 1; }\n";

} // namespace

TEST_CASE("NVRTC compiles for an architecture that it knows, without contraction") {
    const auto compiler = nvrtc(0);
    if (!compiler) return;
    CHECK_THAT(compiler->identity(90),
               ContainsSubstring("sm_90") && ContainsSubstring("--fmad=false"));
    const auto binary = compiler->compile(small_kernel, 90, "cuda:0");
    CHECK((text_of(binary).starts_with("\x7f"
                                       "ELF") ||
           text_of(binary).starts_with("fake")));
}

TEST_CASE("NVRTC gives PTX for what it does not know, and for an older driver") {
    if (const auto compiler = nvrtc(0)) {
        CHECK_THAT(compiler->identity(999), ContainsSubstring("compute_"));
        const auto binary = compiler->compile(small_kernel, 999, "cuda:0");
        CHECK((text_of(binary).find(".version") != std::string_view::npos ||
               text_of(binary).starts_with("fake")));
        CHECK(text_of(binary).find("fma.rn") == std::string_view::npos);
        CHECK(binary.back() == std::byte{}); // as the driver wants a text
    }
    if (const auto compiler = nvrtc(10))
        CHECK_THAT(compiler->identity(90), ContainsSubstring("compute_90"));
}

TEST_CASE("NVRTC: errors have its words and name the device") {
    const auto compiler = nvrtc(0);
    if (!compiler) return;
    const std::string said = device_error(
        [&] { compiler->compile("__global__ void f() { no_type x; }", 90, "cuda:7"); });
    CHECK_THAT(said, ContainsSubstring("cuda:7") && ContainsSubstring("no_type"));
}
