#pragma once

// What the tests of purview::gpu have in common.
#include <purview/gpu.hpp>
#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/device_error.hpp>

#include <memory/device_state.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gpu_tests {

namespace pv = purview;
namespace gpu = purview::gpu;
namespace detail = purview::gpu::detail;

/// Runs a test on every device that there is: PoCL makes one of the processor.
inline void on_every_device(const std::function<void(const gpu::Device&)>& test) {
    const auto all = gpu::devices();
    if (all.empty()) WARN("there is no device: nothing is tested");
    for (const gpu::Device& d : all) {
        INFO(d.state().driver->label());
        test(d);
    }
}

/// The same for those that run what is generated: the stand-in for CUDA knows two kernels.
inline void on_every_computing_device(const std::function<void(const gpu::Device&)>& test) {
    on_every_device([&](const gpu::Device& d) {
        if (d.name() != "fake CUDA") test(d);
    });
}

using oracle::device_error;

/// y[i] = 2·x[i] + by, of int32, in the dialect of a device.
inline std::string twice_and_more(const gpu::Device& d) {
    const std::string body = "if (i < n) y[i] = 2 * x[i] + by; }\n";
    return d.backend() == "cuda"
               ? "extern \"C\" __global__ void twice(int* y, const int* x, int by, long long n) {\n"
                 "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                     body
               : "__kernel void twice(__global int* y, __global const int* x, int by, long n) {\n"
                 "  const long i = get_global_id(0);\n  " +
                     body;
}

} // namespace gpu_tests
