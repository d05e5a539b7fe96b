// Tests driver/driver.hpp: kernels are compiled, kept, loaded and run.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <numeric>
#include <vector>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;
using detail::Argument;

TEST_CASE("a kernel is compiled, its binary loaded and run") {
    on_every_device([](const gpu::Device& d) {
        detail::Driver& driver = *d.state().driver;
        CHECK_FALSE(driver.build_identity().empty());
        CHECK(driver.capabilities().group_size >= 64);
        const gpu::Statistics before = gpu::statistics(d);
        const std::vector<std::byte> binary = driver.compile(twice_and_more(d));
        CHECK_FALSE(binary.empty());
        CHECK(gpu::statistics(d).kernels_built == before.kernels_built + 1);
        const auto kept = binary; // as from a file
        const detail::KernelPtr kernel = driver.load(kept, "twice");
        CHECK(gpu::statistics(d).kernels_built == before.kernels_built + 1);

        std::vector<int> x(1000), y(1000);
        std::iota(x.begin(), x.end(), -100);
        const auto in = new_buffer(d.state(), 4000), out = new_buffer(d.state(), 4000);
        copy_in(*in, 0, x.data(), 4000);
        {
            detail::DeviceTurn turn(d.state());
            turn.use(*in);
            turn.use(*out);
            const Argument arguments[] = {
                {out->handle(), 8, true}, {in->handle(), 8, true}, {7, 4}, {1000, 8}};
            driver.launch(turn.stream(), *kernel, 16, 64, arguments);
            driver.launch(turn.stream(), *kernel, 0, 64, arguments); // nothing
        }
        copy_out(y.data(), *out, 0, 4000);
        for (std::size_t i = 0; i < 1000; ++i) REQUIRE(y[i] == 2 * x[i] + 7);
        CHECK(gpu::statistics(d).launches == before.launches + 1);
    });
}

TEST_CASE("errors of a build name the device and have the compiler's words") {
    on_every_device([](const gpu::Device& d) {
        detail::Driver& driver = *d.state().driver;
        const std::string said = device_error([&] { driver.compile("this_is_no_type f(;"); });
        CHECK_THAT(said, ContainsSubstring(driver.label()));
        CHECK_THAT(said, ContainsSubstring("this_is_no_type"));
        const auto binary = driver.compile(twice_and_more(d));
        CHECK_THAT(device_error([&] { driver.load(binary, "thrice"); }),
                   ContainsSubstring(driver.label()));
        const detail::KernelPtr kernel = driver.load(binary, "twice"); // everything is as before
        CHECK(kernel != nullptr);
    });
}

TEST_CASE("errors of a launch name the device") {
    on_every_device([](const gpu::Device& d) {
        detail::Driver& driver = *d.state().driver;
        const auto kernel = driver.load(driver.compile(twice_and_more(d)), "twice");
        const auto b = new_buffer(d.state(), 4000);
        const Argument arguments[] = {
            {b->handle(), 8, true}, {b->handle(), 8, true}, {7, 4}, {0, 8}};
        const std::string said = device_error([&] {
            driver.launch(d.state().own_stream()->handle, *kernel, 1, std::size_t{1} << 20,
                          arguments);
        });
        CHECK_THAT(said, ContainsSubstring(driver.label()));
        driver.launch(d.state().own_stream()->handle, *kernel, 1, 64, arguments);
        gpu::synchronize(d);
    });
}
