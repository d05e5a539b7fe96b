// Tests what becomes of a device in which a kernel has failed: a run of its own, as nothing works there afterwards.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <optional>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE(
    "a device that has failed says so in every later call, and nothing is thrown where it must not be",
    "[.fault]") {
    on_every_device([](const gpu::Device& d) {
        if (d.backend() != "cuda")
            return; // OpenCL has no such state, and PoCL's kernels are the process's own code
        detail::Driver& driver = *d.state().driver;
        auto a = new_buffer(d.state(), 4096), b = new_buffer(d.state(), 4096);
        std::optional<gpu::Stream> stream(d);
        auto kernel = driver.load(
            driver.compile("extern \"C\" __global__ void fault() { *(volatile int*)8 = 1; }\n"),
            "fault");
        driver.launch(d.state().own_stream()->handle, *kernel, 1, 1, {});
        CHECK_THAT(device_error([&] { gpu::synchronize(d); }),
                   ContainsSubstring("ILLEGAL_ADDRESS") && ContainsSubstring("earlier"));
        int x = 0;
        const std::function<void()> uses[] = {
            [&] { new_buffer(d.state(), 4096 << 10); },
            [&] { copy_out(&x, *a, 0, 4); },
            [&] { copy_in(*a, 0, &x, 4); },
            [&] { copy_within(*a, 0, *b, 0, 4); },
            [&] { gpu::Stream another(d); },
            [&] { stream->synchronize(); },
            [&] { gpu::synchronize(d); },
        };
        for (const auto& use : uses) {
            const std::string said = device_error(use);
            CHECK_THAT(said, ContainsSubstring("ILLEGAL_ADDRESS") &&
                                 ContainsSubstring("was lost") && ContainsSubstring(d.name()));
        }
        CHECK_FALSE(gpu::device("cuda").name().empty());
        a.reset();
        stream.reset();
        kernel.reset();
        b.reset();
    });
}
