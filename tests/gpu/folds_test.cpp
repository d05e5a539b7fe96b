// Folds on a device have the host's bits: beside the host, through the public functions.
#include "gpu/same_bits.hpp"

#include <support/rounds.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <utility>

namespace {
using namespace gpu_tests;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> numbers(const pv::Shape& shape, unsigned seed = 1) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::mt19937 random(seed);
    const auto line = pv::empty<T>({size});
    for (index_t i = 0; i < size; ++i) {
        if constexpr (std::same_as<T, bool>)
            line(i) = random() % 64 == 0;
        else if constexpr (std::is_integral_v<T>)
            line(i) = static_cast<T>(random());
        else
            line(i) = static_cast<T>(std::ldexp(static_cast<double>(random()) - 2e9,
                                                -31 + static_cast<int>(random() % 8)));
    }
    return pv::clone(pv::reshape(line, shape));
}

/// `f` of elements on the host and on a device: numbers, or results that stay there.
template <typename Call, typename Host, typename There>
void check_same(const char* what, const Call& f, const Host& h, const There& x) {
    INFO(what << " of shape " << pv::to_string(h.shape()));
    const auto host = f(h);
    const auto there = f(x);
    if constexpr (requires { host.shape(); }) {
        CHECK(gpu::device_of(there));
        const auto expected = pv::clone(host);
        const auto found = pv::clone(gpu::to_host(there));
        REQUIRE(expected.size() == found.size());
        index_t different = 0;
        for (index_t i = 0; i < found.size(); ++i)
            different += !is_same(expected.data()[i], found.data()[i]);
        CHECK(different == 0);
    } else {
        CHECK(is_same(host, there));
    }
}
#define CHECK_SAME(expression) \
 check_same(                   \
     #expression, [&](const auto& q) { return expression; }, h, x)

template <typename T>
void check_folds(const gpu::Device& d, const pv::Shape& shape) {
    const auto h = numbers<T>(shape);
    const auto x = gpu::to_device(h, d);
    const auto rank = static_cast<index_t>(shape.size());
    if constexpr (std::same_as<T, bool>) {
        CHECK_SAME(pv::any_of(q));
        CHECK_SAME(pv::all_of(q));
        CHECK_SAME(pv::sum(q));
        for (index_t a = 0; a < rank; ++a) CHECK_SAME(pv::any_of(q, {a}));
    } else {
        CHECK_SAME(pv::sum(q));
        CHECK_SAME(pv::product(q));
        CHECK_SAME(pv::mean(q));
        for (index_t a = 0; a < rank; ++a) {
            CHECK_SAME(pv::sum(q, {a}));
            CHECK_SAME(pv::mean(q, {a}));
        }
        if (h.size() == 0) return;
        CHECK_SAME(pv::min(q));
        CHECK_SAME(pv::max(q));
        for (index_t a = 0; a < rank; ++a) CHECK_SAME(pv::max(q, {a}));
    }
}

TEST_CASE("folds of a line have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t n :
             oracle::some_of<index_t>({0, 1, 7, 31, 255, 256, 4095, 4096, 4097, 8193, 100000})) {
            check_folds<float>(d, {n});
            check_folds<double>(d, {n});
            check_folds<int>(d, {n});
            check_folds<std::uint8_t>(d, {n});
            check_folds<std::int64_t>(d, {n});
            check_folds<bool>(d, {n});
        }
    });
}

TEST_CASE("folds along axes have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t rows : oracle::some_of<index_t>({3, 50, 129, 1000}))
            for (const index_t n : oracle::some_of<index_t>(
                     {1, 2, 5, 7, 8, 15, 16, 17, 33, 63, 64, 65, 255, 256, 300}))
                check_folds<float>(d, {rows, n});
        for (const index_t n : oracle::some_of<index_t>({1, 7, 16, 100, 257})) {
            check_folds<double>(d, {300, n});
            check_folds<int>(d, {40, n});
            check_folds<bool>(d, {40, n});
        }
        for (const pv::Shape& shape :
             oracle::some_of<pv::Shape>({{10, 20, 30}, {3, 4, 5}, {70, 3, 100}, {5, 300, 7}})) {
            check_folds<float>(d, shape);
            const auto h = numbers<float>(shape);
            const auto x = gpu::to_device(h, d);
            CHECK_SAME(pv::sum(q, {0, 1}));
            CHECK_SAME(pv::sum(q, {0, 2}));
            CHECK_SAME(pv::sum(q * 2 - 1, {1, 2}));
        }
    });
}

template <typename T>
void check_views(const gpu::Device& d, index_t rows, index_t columns) {
    const auto h = numbers<T>({rows, columns});
    const auto x = gpu::to_device(h, d);
    const auto part = pv::range(3, columns - 2);
    const auto back = pv::range({}, {}, -1);
    CHECK_SAME(pv::sum(pv::sq(q - 2 * q(pv::all, back))));
    CHECK_SAME(pv::sum(q(pv::all, part)));
    CHECK_SAME(pv::sum(q(pv::all, part), {0}));
    CHECK_SAME(pv::sum(q(pv::all, part), {1}));
    CHECK_SAME(pv::sum(q(back, back)));
    CHECK_SAME(pv::sum(q(back, part), {1}));
    CHECK_SAME(pv::sum(q(pv::all, pv::range({}, {}, 2)), {1}));
    CHECK_SAME(pv::sum(pv::transpose(q)));
    CHECK_SAME(pv::sum(pv::transpose(q), {1}));
    CHECK_SAME(pv::sum(pv::transpose(q)(part, pv::all), {0}));
    CHECK_SAME(pv::sum(q(pv::range(1, {}), part) * q(pv::range(0, -1), part)));
    CHECK_SAME(pv::sum(pv::rotate(q, {1, 2})));
    CHECK_SAME(pv::sum(pv::rotate(q, {1, 2}), {1}));
    CHECK_SAME(pv::mean(pv::rotate(q, {0, 2}) * 2, {0}));
    CHECK_SAME(pv::sum(pv::reshape(q, {rows * columns / 4, 4}), {1}));
    CHECK_SAME(pv::sum(pv::broadcast(q(0, pv::all), {300, columns}), {0}));
    if (rows == columns) CHECK_SAME(pv::sum(q + pv::transpose(q)));
    CHECK_SAME(pv::sum(pv::sliding_window(q(0, pv::all), 0, 3), {1}));
}

TEST_CASE("folds of views have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const auto& [rows, columns] : oracle::some_of<std::pair<index_t, index_t>>(
                 {{100, 100}, {8, 100}, {200, 40}, {40, 700}, {16, 20000}})) {
            check_views<float>(d, rows, columns);
            check_views<double>(d, rows, columns);
        }
    });
}

TEST_CASE("folds: floats of 16 bits, NaN, the two zeros, and integers") {
    on_every_computing_device([](const gpu::Device& d) {
        {
            const auto h = pv::clone(pv::cast<pv::Half>(numbers<float>({30, 300})));
            const auto x = gpu::to_device(h, d);
            CHECK_SAME(pv::sum(q));
            CHECK_SAME(pv::sum(q, {0}));
            CHECK_SAME(pv::max(q, {1}));
            CHECK_SAME(pv::mean(q, {1}));
        }
        {
            const auto h = numbers<float>({40, 300});
            h(3, 5) = NAN;
            h(4, pv::all) = -0.f;
            h(5, pv::all) = INFINITY;
            h(6, pv::all) = 0.f;
            h(6, pv::range(0, 100)) = -0.f;
            h(7, pv::all) = -0.f;
            h(7, pv::range(0, 100)) = 0.f;
            const auto x = gpu::to_device(h, d);
            CHECK_SAME(pv::sum(q));
            CHECK_SAME(pv::sum(q, {1}));
            CHECK_SAME(pv::min(q, {1}));
            CHECK_SAME(pv::max(q, {1}));
            CHECK_SAME(pv::max(pv::transpose(q), {0}));
            CHECK_SAME(pv::any_of(q > 3));
            CHECK_SAME(pv::all_of(q > -1000, {0}));
        }
        const auto h = pv::clone(pv::reshape(pv::arange(12000), {40, 300}));
        const auto x = gpu::to_device(h, d);
        CHECK_SAME(pv::mean(q, {0}));
        CHECK_SAME(pv::sum(q % 7, {1}));
        CHECK_SAME(pv::sum(q > 50, {0}));
        CHECK(pv::explain(pv::sum, x, pv::Shape{1}).find("32 lanes") != std::string::npos);
    });
}

TEST_CASE("folds of elements that are errors throw as on the host") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::clone(pv::reshape(pv::arange(12000), {40, 300}));
        const auto x = gpu::to_device(h, d);
        const auto message = [](auto f) {
            try {
                f();
            } catch (const pv::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const auto check = [&](auto f) {
            const std::string host = message([&] { f(h); });
            CHECK_FALSE(host.empty());
            CHECK(message([&] {
                      f(x);
                      gpu::synchronize(d);
                  }) == host);
        };
        check([](const auto& q) { return pv::sum(100 / (q - 77)); });
        check([](const auto& q) { return pv::clone(pv::sum(q / (q - 77), {1})); });
        check([](const auto& q) { return pv::sum(pv::cast<std::int8_t>(q)); });
        check([](const auto& q) { return pv::clone(pv::sum(pv::cast<std::int8_t>(q), {0})); });
        CHECK_THROWS_AS(pv::sum(100 / (x - 77)), pv::ArithmeticError);
        CHECK_THROWS_AS(pv::sum(x + h), pv::DeviceError);
    });
}

TEMPLATE_TEST_CASE("products that leave their range on the way", "", float, double) {
    // np.tile([1e3, 1e-3], 2048).prod() is 1; a 0 among factors that overflow gives 0.
    auto h = pv::clone(pv::full({4096, 3}, TestType(1e3)));
    for (index_t i = 1; i < 4096; i += 2)
        for (index_t k = 0; k < 3; ++k) h(i, k) = TestType(1e-3);
    h(77, 1) = 0;
    on_every_computing_device([&](const gpu::Device& d) {
        const auto x = gpu::to_device(h, d);
        CHECK_SAME(pv::product(q));
        CHECK_SAME(pv::product(q, {0}));
        CHECK_SAME(pv::product(q, {1}));
        CHECK_SAME(pv::product(pv::transpose(q) * 1, {1}));
    });
}
} // namespace
