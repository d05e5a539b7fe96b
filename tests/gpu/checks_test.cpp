// Elements that are errors: kernels that meet one are not waited for, and what they met is thrown once.
#include "gpu/same_bits.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <thread>

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

TEST_CASE("errors of elements that are written where they were read") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto differ = [&](auto h, auto&& assign) {
            auto x = gpu::to_device(h, d);
            const auto before = pv::clone(h);
            const std::string there = error_text([&] {
                assign(x);
                gpu::synchronize(d);
            });
            CHECK(there == error_text([&] { assign(h); }));
            CHECK(there != "");
            CHECK(difference(gpu::to_host(x), before) == ""); // as before
        };
        differ(pv::tensor({1, 2, 0}), [](auto& x) { x(pv::all) = 12 / x + 5; });
        differ(pv::clone(pv::cast<std::int8_t>(pv::tensor({1, 2, 3}))),
               [](auto& x) { x(pv::all) = pv::cast<std::int8_t>(pv::cast<int>(x) * 300); });
        differ(pv::tensor({1., 1e300, 3.}), [](auto& x) { x(pv::all) = pv::cast<int>(x) * 1.; });
    });
}

TEST_CASE("integers divided by a constant meet no error, unless it is 0") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::tensor({-7, 5, std::numeric_limits<int>::min()});
        auto x = gpu::to_device(h, d);
        gpu::synchronize(d);
        const auto same = [&](auto&& f) {
            CHECK(difference(gpu::to_host(f(x)), pv::clone(f(h))) == "");
        };
        same([](const auto& a) { return a / 2 + a % 3; });
        same([](const auto& a) { return a / -1 + a % -1; });
        same([](const auto& a) { return pv::cumsum(a / 7); });
        same([](const auto& a) { return pv::clone(pv::sum(pv::reshape(a % 5, {1, 3}), {0})); });
        CHECK(error_text([&] { gpu::to_host(x / 0); }) == kDivided);
        CHECK(error_text([&] { gpu::to_host(x % 0); }) == error_text([&] { pv::clone(h % 0); }));
        same([](const auto& a) { return a / 2; }); // not the kernel that looks for 0
        const auto launches = gpu::statistics(d).launches;
        x /= 2; // where it was read: nothing is kept apart
        CHECK(gpu::statistics(d).launches == launches + 1);
        CHECK(difference(gpu::to_host(x), pv::clone(h / 2)) == "");
    });
}

TEST_CASE("the first errors of a thread that nobody looks at are kept, and few of them") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::tensor({1, 2, 0}), d);
        for (int i = 0; i < 300; ++i) pv::clone(12 / x);
        int errors = 0;
        for (int i = 0; i < 300; ++i) errors += error_text([&] { gpu::to_host(x); }) == kDivided;
        CHECK(errors >= 1);
        CHECK(errors <= 66);
        gpu::synchronize(d);
    });
}

TEST_CASE("errors concern no thread that is begun later, but those that multiply what has them") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto x = gpu::to_device(pv::full({64, 64}, 0), d);
        const auto other = gpu::to_device(pv::full({64, 64}, 1), d);
        const auto text_of_thread = [&](auto&& call) {
            std::string text;
            std::thread([&] { text = error_text(call); }).join();
            return text;
        };
        text_of_thread([&] { pv::clone(12 / x); });
        CHECK(text_of_thread([&] { gpu::to_host(other); }) == "");
        CHECK(error_text([&] { gpu::synchronize(d); }) == kDivided);
        const auto y = pv::clone(12 / x);
        CHECK(text_of_thread([&] { gpu::to_host(pv::matmul(y, other)); }) == kDivided);
        gpu::synchronize(d);
    });
}

TEST_CASE("who writes what was read is told of that, not of what others did") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto zeros = gpu::to_device(pv::full({8}, 0), d);
        auto mine = gpu::to_device(pv::full({8}, 3), d);
        std::thread([&] { pv::clone(12 / zeros); }).join();
        pv::clone(12 / mine);
        CHECK(error_text([&] { mine += 1; }) == "");
        CHECK(error_text([&] { gpu::to_host(mine); }) == "");
        CHECK(error_text([&] { gpu::synchronize(d); }) == kDivided);
    });
}

TEST_CASE(
    "one of two threads finds the error: that which waits, or that which writes what was read") {
    on_every_computing_device([](const gpu::Device& d) {
        for (int i = 0; i < 60; ++i) {
            const auto x = gpu::to_device(pv::full({1 << 14}, 0), d);
            const auto y = pv::clone(12 / x);
            std::string written;
            std::thread writer([&] { written = error_text([&] { x(pv::all) = 1; }); });
            const std::string waited = error_text([&] { gpu::to_host(y); });
            writer.join();
            CHECK(waited + written == kDivided);
        }
    });
}

TEST_CASE("an error of work that takes several kernels is thrown once") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t n : {100, 1030, 2050}) {
            const auto x = gpu::to_device(pv::full({n, n}, 0), d);
            CHECK(error_text([&] { pv::sum(12 / (x + pv::transpose(x))); }) == kDivided);
            CHECK(error_text([&] { gpu::synchronize(d); }) == "");
            CHECK(error_text([&] { gpu::to_host(pv::sum(12 / x, {0})); }) == kDivided);
            CHECK(error_text([&] { gpu::synchronize(d); }) == "");
        }
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
