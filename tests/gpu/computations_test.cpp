// Computations, and their gradients, of tensors on a device.
#include "gpu/same_bits.hpp"

#include <tuple>
#include <vector>

namespace {
using namespace gpu_tests;

pv::MutableTensor<double> numbers(const pv::Shape& shape, double from) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    const auto line = pv::arange(from, from + static_cast<double>(size));
    return pv::clone(pv::reshape(pv::sin(line), pv::AxisValues(shape)));
}
template <typename X>
std::string differs(const X& there, const X& here, double tolerance_ulps = 0) {
    if (!gpu::device_of(there)) return "it lies on the host";
    return difference(gpu::to_host(there), pv::clone(here), tolerance_ulps);
}

TEST_CASE("a computation of tensors on a device runs there, stage by stage") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = numbers({30, 40}, 1);
        const auto x = gpu::to_device(h, d);
        const auto c = pv::computation(
            [](const auto& a) {
                const auto centred = a - pv::mean(a, {0});
                const auto scale = pv::sqrt(pv::sum(pv::sq(centred)));
                return std::tuple(centred / scale, pv::sum(centred * 2, {1}), pv::max(a), scale);
            },
            pv::spec<double>({30, 40}));
        const auto expected = c(h);
        const auto before = gpu::statistics(d).bytes_out;
        const auto [y, rows, greatest, scale] = c(x);
        CHECK(gpu::statistics(d).bytes_out - before <= 2 * sizeof(double)); // the numbers
        CHECK(differs(y, std::get<0>(expected)) == "");
        CHECK(differs(rows, std::get<1>(expected)) == "");
        CHECK(greatest == std::get<2>(expected));
        CHECK(scale == std::get<3>(expected));
        const auto turned = pv::clone(pv::transpose(h));
        CHECK(differs(std::get<0>(c(pv::transpose(gpu::to_device(turned, d)))),
                      std::get<0>(c(pv::transpose(turned)))) == "");
        CHECK(differs(std::get<0>(c(x * 2)), std::get<0>(c(h * 2))) == "");
        CHECK(pv::equals(std::get<0>(c(h)), std::get<0>(expected))); // nothing of the device stays
    });
}

TEST_CASE("a computation reads what it has captured on a device at each call") {
    on_every_computing_device([](const gpu::Device& d) {
        auto weights = gpu::to_device(numbers({5}, 0), d);
        const auto c = pv::computation([&](const auto& a) { return pv::sum(a * weights, {1}); },
                                       pv::spec<double>({4, 5}));
        const auto h = numbers({4, 5}, 3);
        CHECK(differs(c(gpu::to_device(h, d)), pv::sum(h * gpu::to_host(weights), {1})) == "");
        weights *= 2;
        CHECK(differs(c(gpu::to_device(h, d)), pv::sum(h * gpu::to_host(weights), {1})) == "");
        CHECK_THROWS_AS(c(h), pv::DeviceError); // operands of both
    });
}

TEST_CASE("numbers and what reads none of a device's elements are arguments there") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto c = pv::computation(
            [](const auto& a, const auto& by) {
                return std::tuple(a * (pv::exp(by) + 1), pv::sq(by), pv::sum(a) * by);
            },
            pv::spec<float>({70}), pv::spec<float>());
        const auto h = pv::clone(pv::cast<float>(numbers({70}, 2)));
        const auto [y, square, sum] = c(gpu::to_device(h, d), 0.5f);
        const auto expected = c(h, 0.5f);
        CHECK(differs(y, std::get<0>(expected)) == "");
        CHECK(square == std::get<1>(expected));
        CHECK(sum == std::get<2>(expected));
    });
}

TEST_CASE("values and gradients on a device are the host's") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto loss = pv::computation(
            [](const auto& w, const auto& a, const auto& b) {
                return pv::mean(pv::sq(pv::sum(a * w, {1}) - b)) + pv::sum(pv::sq(w)) * 0.1;
            },
            pv::spec<double>({7}), pv::spec<double>({50, 7}), pv::spec<double>({50}));
        const auto w = numbers({7}, 0), a = numbers({50, 7}, 1), b = numbers({50}, 2);
        const auto on = [&](const auto& x) { return gpu::to_device(x, d); };
        const auto both = pv::value_and_gradient(loss);
        const auto expected = both(w, a, b);
        const auto found = both(on(w), on(a), on(b));
        // The host has a BLAS for some of these sums.
        CHECK(std::get<0>(found) == Approx(std::get<0>(expected)).epsilon(1e-13));
        CHECK(pv::equals(gpu::to_host(std::get<1>(found)), std::get<1>(expected), 1e-13));
        CHECK(pv::equals(gpu::to_host(std::get<2>(found)), std::get<2>(expected), 1e-13));
        // A view, whose gradient is padded: a scatter of values that lie as they are.
        const auto part =
            pv::computation([](const auto& x) { return pv::sum(pv::sq(x(pv::range(2, 9))) * 3); },
                            pv::spec<double>({12}));
        const auto h = numbers({12}, 5);
        CHECK(differs(pv::gradient(part)(on(h)), pv::gradient(part)(h)) == "");
        // Running sums.
        const auto running = pv::computation(
            [](const auto& x) { return pv::sum(pv::sq(pv::cumsum(x))); }, pv::spec<double>({12}));
        CHECK(differs(pv::gradient(running)(on(h)), pv::gradient(running)(h), 64) == "");
    });
}

TEST_CASE("what a computation makes of constants and numbers is no array of the host's") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = numbers({3, 4}, 1);
        const auto x = gpu::to_device(h, d);
        const auto check = [&](auto function) {
            const auto c = pv::computation(function, pv::spec<double>({3, 4}));
            const auto slope = pv::gradient(c);
            CHECK(pv::equals(gpu::to_host(slope(x)), slope(h), 1e-13));
        };
        check([](const auto& a) { return pv::sum(a(pv::range(0, 2), pv::all)) + pv::sum(a * a); });
        check([](const auto& a) { return pv::sum(a(0, pv::all)) + pv::sum(pv::exp(a)); });
        check([](const auto& a) { return pv::sum(pv::cumsum(a, 0) + a * a); });
        check([](const auto& a) {
            return pv::sum(pv::concat(a, a * 2, 1)(pv::all, pv::range(2, 6))) + pv::sum(pv::exp(a));
        });
        const auto with_number = [&](auto function) {
            const auto c = pv::computation(function, pv::spec<double>({3, 4}), pv::spec<double>());
            CHECK(pv::equals(gpu::to_host(c(x, 2.5)), c(h, 2.5), 1e-13));
        };
        with_number([](const auto& a, const auto& k) {
            return pv::cumsum(pv::broadcast(k, {3, 4}), 1) * a;
        });
        with_number([](const auto& a, const auto& k) {
            return pv::sum(pv::broadcast(k, {3, 4}), {0}) * a;
        });
        with_number([](const auto& a, const auto& k) {
            return pv::softmax(pv::broadcast(k, {3, 4}), 0) * a;
        });
    });
}

TEST_CASE("outputs lie where what they are made of lies") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto c = pv::computation(
            [](const auto& a, const auto& b) {
                return std::tuple(a * 2, b * 2, pv::cumsum(b), pv::sum(a) + pv::sum(b));
            },
            pv::spec<double>({5}), pv::spec<double>({5}));
        const auto a = numbers({5}, 0), b = numbers({5}, 9);
        const auto [twice, own, running, sum] = c(gpu::to_device(a, d), b);
        CHECK(pv::equals(gpu::to_host(twice), a * 2));
        CHECK(!gpu::device_of(own));
        CHECK(pv::equals(own, b * 2));
        CHECK(pv::equals(running, pv::cumsum(b)));
        CHECK(sum == std::get<3>(c(a, b)));
        const auto mixed =
            pv::computation([](const auto& p, const auto& q) { return p + pv::cumsum(q); },
                            pv::spec<double>({5}), pv::spec<double>({5}));
        CHECK_THROWS_AS(mixed(gpu::to_device(a, d), b), pv::DeviceError);
    });
}

TEST_CASE("matrix products and softmax in a computation on a device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto c = pv::computation(
            [](const auto& a, const auto& b) {
                const auto logits = pv::matmul(a, b);
                return std::tuple(logits, pv::softmax(logits, 1));
            },
            pv::spec<double>({20, 30}), pv::spec<double>({30, 16}));
        const auto a = numbers({20, 30}, 0), b = numbers({30, 16}, 1);
        const auto [logits, p] = c(gpu::to_device(a, d), gpu::to_device(b, d));
        const auto expected = c(a, b);
        CHECK(pv::equals(gpu::to_host(logits), std::get<0>(expected), 1e-12));
        CHECK(pv::equals(gpu::to_host(p), std::get<1>(expected), 1e-12));
    });
}

TEST_CASE("prepare builds the kernels of a call") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto c = pv::computation(
            [](const auto& a, const auto& by) {
                return std::tuple(pv::cosh(a) * by - pv::sum(pv::sinh(a) - by, {0}), pv::max(a));
            },
            pv::spec<float>({33, 44}), pv::spec<float>());
        gpu::prepare(c, d);
        const auto x = gpu::to_device(pv::clone(pv::cast<float>(numbers({33, 44}, 0))), d);
        const auto built = gpu::statistics(d).kernels_built;
        const auto [y, greatest] = c(x, 2.5f);
        CHECK(gpu::statistics(d).kernels_built == built);
        CHECK(differs(y, std::get<0>(c(gpu::to_host(x), 2.5f)), 4) == "");
        CHECK(greatest == pv::max(x));
        const auto any =
            pv::computation([](const auto& a) { return a * 2; }, pv::spec<float>({pv::any_size}));
        CHECK_THROWS_AS(gpu::prepare(any, d), pv::ShapeError);
    });
}

TEST_CASE("a loaded computation takes tensors on a device") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto c = pv::computation([](const auto& a) { return pv::sum(a * 2, {0}); },
                                       pv::spec<double>({6, 7}));
        const auto h = numbers({6, 7}, 0);
        const pv::AnyComputation any(c.function());
        const pv::AnyTensor found = any({pv::AnyTensor(gpu::to_device(h, d))}).at(0);
        CHECK(gpu::device_of(found) == d);
        CHECK(pv::equals(gpu::to_host(found).as<double>(), c(h)));
    });
}

} // namespace
