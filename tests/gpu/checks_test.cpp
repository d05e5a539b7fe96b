// Elements that are errors: kernels that meet one are not waited for, and what they met is thrown once.
#include "gpu/same_bits.hpp"

#include <cstdint>
#include <string>

namespace {
using namespace gpu_tests;

const std::string kDivided = error_text([] { pv::clone(12 / pv::tensor({1, 2, 0})); });

TEST_CASE("what a kernel has met is thrown once, when something comes to the host") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::tensor({1, 2, 0}), d);
        const auto other = gpu::to_device(pv::tensor({1., 2.}), d);
        const auto meet = [&] { return pv::clone(12 / x); };
        auto y = meet();
        CHECK(error_text([&] { gpu::to_host(other); }) == kDivided);
        CHECK(error_text([&] { gpu::to_host(other); }) == ""); // once
        CHECK(pv::equals(gpu::to_host(y)(pv::range(0, 2)), pv::tensor({12, 6})));
        y = meet();
        CHECK(error_text([&] { pv::sum(other); }) == kDivided);
        y = meet();
        CHECK(error_text([&] { gpu::synchronize(d); }) == kDivided);
        y = meet();
        CHECK(error_text([&] { gpu::to_dlpack(pv::AnyTensor(other)); }) == kDivided);
        const gpu::Stream stream(d);
        {
            const gpu::OnStream here(stream);
            y = meet();
        }
        CHECK(error_text([&] { stream.synchronize(); }) == kDivided);
        gpu::synchronize(d);
        // Two of them: one each time.
        y = meet();
        const auto z = pv::clone(pv::cast<std::int8_t>(x * 300));
        CHECK_THROWS_AS(gpu::synchronize(d), pv::ArithmeticError);
        CHECK_THROWS_AS(gpu::synchronize(d), pv::CastError);
        gpu::synchronize(d);
    });
}

TEST_CASE("the error is found although what was read is written afterwards") {
    on_every_computing_device([](const gpu::Device& d) {
        auto x = gpu::to_device(pv::tensor({1, 2, 0}), d);
        const auto y = pv::clone(12 / x);
        const std::string text = error_text([&] {
            x += 1;
            gpu::synchronize(d);
        });
        CHECK(text == kDivided);
        // In place: at once.
        x(pv::all) = pv::tensor({1, 2, 0}) | gpu::to_device(d);
        CHECK(error_text([&] { x(pv::all) = 12 / x; }) == kDivided);
        gpu::synchronize(d);
    });
}

TEST_CASE("kernels that met nothing keep no memory") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::full({1000}, 3), d);
        gpu::synchronize(d);
        const auto before = gpu::memory(d).used;
        for (int i = 0; i < 200; ++i) {
            const auto temporary = pv::clone(x + i);
            pv::clone(12 / temporary);
        }
        gpu::synchronize(d);
        CHECK(gpu::memory(d).used == before);
        // Nor is any kept where memory is short.
        gpu::trim(d);
        const auto large = gpu::to_device(pv::full({1 << 20}, 3), d);
        gpu::synchronize(d);
        gpu::set_memory_limit(d, gpu::memory(d).used + (std::size_t{12} << 20));
        for (int i = 0; i < 8; ++i) pv::clone(12 / pv::clone(large + i));
        gpu::set_memory_limit(d, 0);
        gpu::synchronize(d);
    });
}

TEST_CASE("numbers, scans and softmax of errors are the host's errors") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::tensor({1, 2, 0}), d);
        CHECK(error_text([&] { pv::sum(12 / x); }) == error_text([] {
                  pv::sum(12 / pv::tensor({1, 2, 0}));
              }));
        CHECK(error_text([&] { gpu::to_host(pv::cumsum(12 / x)); }) == error_text([] {
                  pv::cumsum(12 / pv::tensor({1, 2, 0}));
              }));
        CHECK(error_text([&] { gpu::to_host(pv::sum(12 / x, {0})); }) != "");
        gpu::synchronize(d);
    });
}

} // namespace
