// Tests purview/gpu/device.hpp.
#include "devices.hpp"

#include <cstdlib>
#include <set>
#include <string>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("devices have a name, a backend, a number and memory") {
    std::set<std::string> labels;
    on_every_device([&](const gpu::Device& d) {
        CHECK_FALSE(d.name().empty());
        CHECK((d.backend() == "cuda" || d.backend() == "opencl"));
        CHECK(d.number() >= 0);
        CHECK(d.memory_bytes() > (std::size_t{1} << 20));
        const std::string text = std::string(d.backend()) + ":" + std::to_string(d.number());
        CHECK(labels.insert(text).second);
        CHECK(gpu::device(text) == d);
        if (d.number() == 0) CHECK(gpu::device(d.backend()) == d);
    });
}

TEST_CASE("device: what is not there is refused with a list of what is") {
    for (const char* name : {"nothing", "cuda:99", "opencl:99", "opencl:", "opencl:x", "opencl:0x",
                             ":0", "opencl:-1", "OpenCL"}) {
        const std::string said = device_error([&] { gpu::device(name); });
        CHECK_THAT(said, ContainsSubstring("'" + std::string(name) + "'"));
        for (const gpu::Device& d : gpu::devices()) CHECK_THAT(said, ContainsSubstring(d.name()));
    }
}

TEST_CASE("device: an empty text is what PURVIEW_GPU names, or the first") {
    const auto all = gpu::devices();
    if (all.empty()) return;
    ::unsetenv("PURVIEW_GPU");
    CHECK(gpu::device() == all.front());
    ::setenv("PURVIEW_GPU", "cuda:77", 1);
    CHECK_THAT(device_error([] { gpu::device(); }),
               ContainsSubstring("cuda:77") && ContainsSubstring("PURVIEW_GPU"));
    const std::string last =
        std::string(all.back().backend()) + ":" + std::to_string(all.back().number());
    ::setenv("PURVIEW_GPU", last.c_str(), 1);
    CHECK(gpu::device("") == all.back());
    ::unsetenv("PURVIEW_GPU");
}

TEST_CASE("without any driver there is no device, and device says why") {
    if (std::getenv("PURVIEW_TEST_NO_DRIVER") == nullptr) return; // a run of its own
    CHECK(gpu::devices().empty());
    const std::string said = device_error([] { gpu::device(); });
    CHECK_THAT(said, ContainsSubstring("there is none"));
    CHECK_THAT(said, ContainsSubstring("CUDA: "));
    CHECK_THAT(said, ContainsSubstring("OpenCL: "));
}
