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
        const auto h = pv::clone(pv::ones<float>({2, 3}));
        const auto x = gpu::to_device(pv::ones({3}), d);
        const auto says = [](const char* what, auto f) {
            const std::string text = device_error(f);
            INFO(text);
            CHECK(text.starts_with(std::string(what) + ": mixed places"));
            // As they were written: before they are broadcast and cast.
            CHECK(text.find("shape [2 3] of float32 lies in the host's memory") !=
                  std::string::npos);
            CHECK(text.find("shape [3] of float64 on the device") != std::string::npos);
        };
        const auto kept = pv::clone(h);
        says("assignment", [&] { kept += x; });
        CHECK(pv::equals(kept, h));
        says("assignment", [&] { pv::clone(h * x); });
        says("sum", [&] { pv::sum(h * x, 1); });
        says("to_host", [&] { gpu::to_host(h - x); });
    });
}

// Right are those of the same call on the host.
TEST_CASE("indexes, ranges and constants of the host come along to the device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(24.), {4, 6}));
        const auto x = gpu::to_device(h, d);
        const std::vector<pv::index_t> list{3, 0, -1};
        const auto at = pv::tensor<std::int32_t>({{1, 2}, {-2, 0}});
        const auto there = gpu::to_device(at, d);
        const auto same = [&](auto f) {
            const auto result = f(x, there);
            CHECK(gpu::device_of(result) == d);
            CHECK(pv::equals(gpu::to_host(result), f(h, at)));
        };
        same([](const auto& a, auto&) { return pv::take(a, {3, 0, -1}, 0); });
        same([](const auto& a, auto&) { return pv::take(a, {23, 0}) + 1; });
        same([&](const auto& a, auto&) { return pv::take(a, list, 1); });
        same([&](const auto& a, auto&) { return pv::take(a, at, 0); });
        same([&](const auto& a, auto&) { return pv::take(a, at(pv::all, 0) + 1, 1); });
        same([&](const auto& a, const auto& i) { return pv::take(a, {0, 1}, at, i); });
        same([&](const auto& a, const auto& i) {
            return pv::take(a, pv::abs(at) + pv::abs(i) - 1, 0);
        });
        same([&](const auto& a, auto&) { return pv::take(a, pv::arange(3, 0, -1), 0); });
        same([&](const auto& a, auto&) { return a | pv::take(list, 0); });
        same([&](const auto& a, auto&) { return pv::take(a * a, list, 0) + pv::take(a, list, 0); });
        same([&](const auto& a, auto&) {
            return pv::take_along_axis(
                a, pv::tensor<std::int64_t>({{0, 5}, {1, 4}, {2, 3}, {0, 0}}), 1);
        });
        const auto counted = pv::tensor(pv::range_reader(6));
        const auto halves = pv::tensor(pv::range_reader(0.f, 3.f, .5f));
        same([&](const auto& a, auto&) { return a + counted * 2 - halves; });
        same([&](const auto& a, auto&) { return pv::take(a, counted, 1) * 3; });
        same([&](const auto& a, auto&) { return a + pv::clone(pv::full<double>({1}, 3)); });
        CHECK(pv::sum(pv::take(x, list, 0)) == pv::sum(pv::take(h, list, 0)));
        CHECK(pv::equals(gpu::to_host(pv::sum(pv::take(x, list, 0), 0)),
                         pv::sum(pv::take(h, list, 0), 0)));
        CHECK(pv::equals(gpu::to_host(pv::clone(pv::cumsum(pv::take(x, list, 0), 0))),
                         pv::cumsum(pv::take(h, list, 0), 0)));
        auto to = gpu::to_device(h, d);
        to(0, pv::all) = pv::take(x, {1}, 0)(0, pv::all);
        CHECK(pv::equals(gpu::to_host(to)(0, pv::all), h(1, pv::all)));
        CHECK_THROWS_AS(gpu::to_host(pv::take(x, {4}, 0)), pv::IndexError);
        CHECK(
            pv::explain(pv::take(x, list, 0)).find("indexes of the host are copied there first") !=
            std::string::npos);
        // What is taken from has to lie where it is asked for.
        CHECK(device_error([&] { pv::clone(pv::take(h, there, 0)); }).find("mixed places") !=
              std::string::npos);
    });
}

TEST_CASE("sparse tensors become dense by to_dense alone, whatever their size") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto huge = pv::sparse_zeros<float>({pv::index_t{1} << 20, pv::index_t{1} << 20});
        CHECK_THROWS_AS(gpu::to_device(huge, d), pv::KindError);
        CHECK_THROWS_AS(gpu::to_device(huge * 2, d), pv::KindError);
        CHECK_THROWS_AS(gpu::to_device(pv::AnyTensor(huge), d), pv::KindError);
        const auto small = pv::to_sparse(pv::tensor({0., 2., 0.}));
        CHECK_THROWS_WITH(
            gpu::to_device(small, d),
            "to_device: a sparse float64 of shape [3] would become dense: to_dense(x) first");
        CHECK(pv::equals(gpu::to_host(gpu::to_device(pv::to_dense(small), d)),
                         pv::tensor({0., 2., 0.})));
        // Of sparse and dense it is dense.
        CHECK(pv::equals(gpu::to_host(gpu::to_device(small + pv::tensor({1., 1., 1.}), d)),
                         pv::tensor({1., 3., 1.})));
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
