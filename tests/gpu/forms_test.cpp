// What kernels of forms with loads of their own compute: stencils, reversed rows and transposes of small elements.
#include "gpu/devices.hpp"

#include <cstdint>
#include <string>

namespace {
using namespace gpu_tests;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> some(pv::Shape shape) {
    auto made = pv::empty<T>(shape);
    std::uint32_t bits = 17;
    for (index_t i = 0; i < made.size(); ++i) {
        bits = bits * 1664525u + 1013904223u;
        made.data()[i] = static_cast<T>(bits >> 16);
    }
    return made;
}

/// `f` of a tensor there is that of the host's, and is computed by a kernel of this form.
template <typename T, typename F>
void check_there(const gpu::Device& d, const std::string& form, const pv::MutableTensor<T>& h,
                 F&& f) {
    const auto x = gpu::to_device(h, d);
    const auto there = f(x);
    CHECK_THAT(pv::explain(there), Catch::Matchers::Contains("form " + form));
    CHECK(pv::equals(gpu::to_host(there), f(h)));
}

template <typename T>
auto stencil(const T& q, index_t rows) {
    const index_t m = q.shape()[0];
    const index_t n = q.shape()[1];
    const auto in = [&](index_t i, index_t j) {
        return q(pv::range(rows + i, m - rows + i), pv::range(1 + j, n - 1 + j));
    };
    return in(0, 0) * 4 - in(-rows, 0) - in(rows, 0) - in(0, -1) - in(0, 1) + in(1, 1);
}

TEST_CASE("stencils, by threads of several rows") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const auto& [m, n] : {std::pair<index_t, index_t>{1031, 515}, {515, 1025}})
            for (const index_t rows : {1, 2}) {
                const auto form = [rows](const auto& q) { return stencil(q, rows); };
                check_there(d, "rows", some<float>({m, n}), form);
                check_there(d, "rows", some<double>({m, n}), form);
            }
        // What is written is what was there before.
        const auto h = some<float>({700, 650});
        auto x = gpu::to_device(h, d);
        auto expected = pv::clone(h);
        const auto inside = [](auto& q) { q(pv::range(1, -1), pv::range(1, -1)) = stencil(q, 1); };
        inside(x);
        inside(expected);
        CHECK(pv::equals(gpu::to_host(x), expected));
    });
}

TEST_CASE("small elements in reverse, by whole vectors and not") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto flipped = [](const auto& q) { return pv::flip(q, {1}) ^ q; };
        const auto in_part = [](const auto& q) {
            return ~pv::flip(q(pv::all, pv::range(0, -8)), {1})(pv::all, pv::range(0, -5));
        };
        for (const auto& [m, n] :
             {std::pair<index_t, index_t>{520, 528}, {64, 8192}, {300, 1001}}) {
            check_there(d, "rows", some<std::uint8_t>({m, n}), flipped);
            check_there(d, "rows", some<std::int16_t>({m, n}), flipped);
            check_there(d, "rows", some<std::uint8_t>({m, n}), in_part);
        }
    });
}

TEST_CASE("small elements transposed, by words and not") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto turned = [](const auto& q) { return pv::transpose(q) ^ pv::flip(q, {0}); };
        const auto in_part = [](const auto& q) {
            return ~pv::transpose(q(pv::range(4, {}), pv::range(4, -2)));
        };
        const auto rotated = [](const auto& q) {
            return ~pv::transpose(pv::reshape(q, {4, -1, q.shape()[1]}), {2, 0, 1});
        };
        for (const index_t n : {8, 60, 130, 132, 256, 388}) {
            check_there(d, "tiled", some<std::uint8_t>({n, n}), turned);
            check_there(d, "tiled", some<std::int16_t>({n, n}), turned);
            check_there(d, n > 60 ? "tiled" : "", some<std::uint8_t>({n, n}), in_part);
            if (n % 4 == 0 && n > 60) check_there(d, "tiled", some<std::uint8_t>({n, n}), rotated);
        }
    });
}

TEST_CASE("explain says because of what a kernel is not a fast one") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto because = [](const auto& x) {
            const std::string text = pv::explain(x);
            const std::size_t at = text.find(", because ");
            return at == std::string::npos ? ""
                                           : text.substr(at + 10, text.find('\n', at) - at - 10);
        };
        const auto x = gpu::to_device(some<float>({1 << 16, 12}), d);
        const auto line = gpu::to_device(some<float>({1 << 20}), d);
        CHECK(because(line * 2) == "");
        CHECK(because(line(pv::range(1, (1 << 20) - 3)) * 2) ==
              "an operand does not begin at a multiple of 16 bytes, or its rows do not");
        CHECK(because(pv::flip(x, 1) + x) == "rows have 12 elements");
        CHECK(because(pv::transpose(gpu::to_device(some<float>({700, 700}), d)) * 2) == "");
    });
}

} // namespace
