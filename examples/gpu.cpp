/// Expressions over the memory of a device: where results lie, what is copied when, and what is refused.

#include "check.hpp"

#include <purview/gpu.hpp>
#include <purview/purview.hpp>

#include <iostream>
#include <string>

namespace pv = purview;
namespace gpu = purview::gpu;

int main() {
    // [devices]
    for (const gpu::Device& d : gpu::devices())
        std::cout << d.backend() << ':' << d.number() << ' ' << d.name() << '\n';
    // [/devices]
    if (gpu::devices().empty()) {
        std::cout << "no device: install pocl-opencl-icd, which makes one of the processor\n";
        return 0;
    }
    {
        // [first]
        auto h = pv::clone(pv::reshape(pv::arange(1e6), {1000, 1000}));
        gpu::Device d = gpu::device(); // PURVIEW_GPU, or the first one
        auto x = gpu::to_device(h, d); // a copy in the device's memory
        auto y =
            pv::clone((x + 4) * 2 - pv::transpose(x)); // one kernel; the result lies there, too
        x(0, pv::all) = y(1, pv::all) * 2;
        x += 1;
        auto back = gpu::to_host(y * 2); // computed there, then copied
        // [/first]
        check(gpu::device_of(y) == d, "results lie where their sources lie");
        check(pv::equals(back, ((h + 4) * 2 - pv::transpose(h)) * 2), "the host's bits");
        check(!gpu::device_of(back), "a tensor of the host");
    }
    const gpu::Device d = gpu::device();
    const auto h = pv::clone(pv::arange(6.));
    const auto x = gpu::to_device(h, d);
    const char* const advice = "gpu::to_host";
    // [refused]
    check_throws<pv::DeviceError>([&] { std::cout << x(3); },
                                  advice); // elements are not read by the host
    check_throws<pv::DeviceError>([&] { pv::clone(x + h); },
                                  ""); // operands of both: nothing travels by itself
    check_throws<pv::DeviceError>([&] { pv::sort(x); }, advice); // what has no form on a device
    // [/refused]
    {
        // [streams]
        const gpu::Stream beside(d);
        {
            const gpu::OnStream here(beside); // what this thread begins goes there
            auto y = pv::clone(x * 3);
            check(pv::equals(gpu::to_host(y), h * 3), "y waits for x");
        }
        beside.synchronize();
        std::cout << gpu::memory(d).used << " bytes used\n";
        // [/streams]
    }
    {
        // [computation]
        auto norm = pv::computation([](const auto& v) { return v / pv::sqrt(pv::sum(pv::sq(v))); },
                                    pv::spec<double>({6}));
        gpu::prepare(norm, d); // builds its kernels now
        auto unit = norm(x);   // lies there, and so does the sum that it needs
        // [/computation]
        check(pv::equals(gpu::to_host(unit), norm(h)), "the host's bits");
    }
    // [explain]
    std::cout << pv::explain(x * 2 + 1);
    // [/explain]
    // [kernel_source]
    const std::string text = gpu::kernel_source(h * 2 + 1, "cuda"); // or "opencl"
    // [/kernel_source]
    check(text.find("__global__") != std::string::npos, "the text of a kernel");
    return exit_status();
}
