#include "gpu/devices.hpp"

#include <cstdint>
#include <string>
#include <vector>

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

TEST_CASE("dims stay on the way to a device and back; both ways are stages") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(24.), {4, 6}));
        const pv::Dim i("i"), j("j");
        pv::MutableDimTensor<double> x = gpu::to_device(h(i, j) * 2, d);
        CHECK(gpu::device_of(x) == d);
        CHECK(gpu::device_of(x + 1) == d);
        CHECK_FALSE(gpu::device_of(h(i, j)).has_value());
        const pv::MutableDimTensor<double> back = gpu::to_host(x + 1);
        CHECK_FALSE(gpu::device_of(back).has_value());
        CHECK(pv::equals(pv::order(back, {j, i}), pv::transpose(h * 2 + 1)));
        CHECK(pv::equals(h | gpu::to_device(d) | pv::transpose | gpu::to_host, pv::transpose(h)));
        CHECK(pv::equals(pv::order(h(i, j) | gpu::to_device(d) | gpu::to_host, {i, j}), h));
        CHECK(gpu::device_of(pv::AnyTensor(h) | gpu::to_device(d)) == d);
        const std::vector<double> numbers{1, 2, 3}; // an array
        CHECK(pv::equals(gpu::to_host(gpu::to_device(numbers, d)), pv::tensor({1., 2., 3.})));
    });
}

TEST_CASE("operands of both places are named with their shapes, and what would take them") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::ones({2, 3});
        const auto x = gpu::to_device(pv::ones({3}), d);
        const auto says = [](const char* what, auto f) {
            const std::string text = device_error(f);
            INFO(text);
            CHECK(text.starts_with(std::string(what) + ": mixed places"));
            CHECK(text.find("[2 3] lies in the host's memory") != std::string::npos);
            CHECK(text.find("[2 3] on the device") != std::string::npos); // as it is broadcast
        };
        const auto kept = pv::clone(h);
        says("assignment", [&] { kept += x; });
        CHECK(pv::equals(kept, h));
        says("assignment", [&] { pv::clone(h * x); });
        says("sum", [&] { pv::sum(h * x, 1); });
        says("to_host", [&] { gpu::to_host(h - x); });
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
        CHECK_THROWS_AS(gpu::to_host(pv::cast<std::int8_t>(x)), pv::CastError);
        CHECK(message([&] { gpu::to_host(pv::cast<std::int8_t>(x)); }) == host);
        CHECK_THROWS_AS(gpu::to_host(x / (x - 2)), pv::ArithmeticError);
    });
}

TEST_CASE("what the host computes is copied to memory there") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::arange(6.));
        auto x = gpu::to_device(pv::zeros<double>({6}), d);
        pv::copy(h * 2 + 1, x);
        CHECK(pv::equals(gpu::to_host(x), h * 2 + 1));
        x(pv::range(0, 3)) = pv::sqrt(h)(pv::range(3, 6));
        CHECK(pv::equals(gpu::to_host(x)(pv::range(0, 3)), pv::sqrt(h(pv::range(3, 6)))));
        x(pv::range(0, 1)) = 3;
        CHECK(pv::equals(gpu::to_host(x(pv::range(0, 1))), pv::tensor({3.})));
    });
}

} // namespace
