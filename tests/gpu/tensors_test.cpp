#include "gpu/devices.hpp"

#include <cstdint>
#include <string>

namespace {
using namespace gpu_tests;

TEST_CASE("what lies on a device is computed there, and copied by to_host alone") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(24.), {4, 6}));
        const auto x = gpu::to_device(h, d);
        CHECK(gpu::device_of(x) == d);
        CHECK_FALSE(gpu::device_of(h));
        CHECK(pv::equals(gpu::to_host(x), h));
        const auto y =
            pv::clone((x + 4) * 2 - pv::transpose(gpu::to_device(pv::clone(pv::transpose(h)), d)));
        CHECK(gpu::device_of(y) == d);
        CHECK(pv::equals(gpu::to_host(y), (h + 4) * 2 - h));
        CHECK(pv::allclose(gpu::to_host(pv::sin(x)(pv::all, pv::range(5, 1, -2))),
                           pv::sin(h)(pv::all, pv::range(5, 1, -2))));
        CHECK_THROWS_AS(static_cast<double>(x(1, 2)), pv::DeviceError);
        CHECK_THROWS_AS(pv::clone(x + h), pv::DeviceError);

        auto z = gpu::to_device(h, d);
        z(0, pv::all) = x(1, pv::all) * 2;
        z += 1;
        auto expected = pv::clone(h);
        expected(0, pv::all) = h(1, pv::all) * 2;
        expected += 1;
        CHECK(pv::equals(gpu::to_host(z), expected));
        z(pv::all, pv::range(1, {})) = z(pv::all, pv::range(0, -1)); // overlaps
        expected(pv::all, pv::range(1, {})) = pv::clone(expected(pv::all, pv::range(0, -1)));
        CHECK(pv::equals(gpu::to_host(z), expected));
        auto back = pv::zeros(4, 6);
        pv::copy(x * 2, back);
        CHECK(pv::equals(back, h * 2));
        pv::copy(h, z);
        CHECK(pv::equals(gpu::to_host(z), h));
    });
}

TEST_CASE("elements that are errors are the host's errors") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::tensor({1, 2, 254, 300});
        const auto x = gpu::to_device(h, d);
        const auto message = [](auto f) {
            try {
                f();
            } catch (const pv::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const std::string host = message([&] { pv::clone(pv::cast<std::int8_t>(h)); });
        CHECK_THROWS_AS(pv::clone(pv::cast<std::int8_t>(x)), pv::CastError);
        CHECK(message([&] { pv::clone(pv::cast<std::int8_t>(x)); }) == host);
        CHECK_THROWS_AS(pv::clone(x / (x - 2)), pv::ArithmeticError);
    });
}

} // namespace
