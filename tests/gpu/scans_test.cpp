// Running folds on a device, beside the host: cumsum, cumprod, cummin and cummax of views, and of lanes short and long.
#include "gpu/same_bits.hpp"

#include <support/rounds.hpp>

#include <purview/evaluation/lanes.hpp>
#include <purview/expression/progression.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

namespace {
using namespace gpu_tests;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> scanned_numbers(const pv::Shape& shape, unsigned seed = 1) {
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
            line(i) = static_cast<T>((static_cast<double>(random()) - 2e9) / 4e9);
    }
    return pv::clone(pv::reshape(line, shape));
}

/// A NaN equals another.
template <typename T>
index_t different_elements(const pv::MutableTensor<T>& a, const pv::MutableTensor<T>& b) {
    REQUIRE(pv::to_string(a.shape()) == pv::to_string(b.shape()));
    index_t different = 0;
    for (index_t i = 0; i < a.size(); ++i) different += !is_same(a.data()[i], b.data()[i]);
    return different;
}

template <typename Call, typename Host, typename There>
void check_same_scan(const char* what, const Call& f, const Host& h, const There& x) {
    INFO(what << " of shape " << pv::to_string(h.shape()));
    const auto there = f(x);
    CHECK(gpu::device_of(there));
    CHECK(different_elements(pv::clone(gpu::to_host(there)), pv::clone(f(h))) == 0);
}
/// Sums of floats: at most 21 roundings a level, and the host's.
template <typename Call, typename Host, typename There>
void check_near_scan(const char* what, const Call& f, const Host& h, const There& x) {
    INFO(what << " of shape " << pv::to_string(h.shape()));
    using T = typename Host::value_type;
    const auto found = pv::clone(gpu::to_host(f(x)));
    const auto expected = pv::clone(f(pv::clone(pv::cast<double>(h))));
    const auto sizes = pv::clone(f(pv::clone(pv::abs(pv::cast<double>(h)))));
    REQUIRE(found.size() == expected.size());
    index_t wrong = 0;
    for (index_t i = 0; i < found.size(); ++i)
        wrong += !(std::abs(static_cast<double>(found.data()[i]) - expected.data()[i]) <=
                   64 * static_cast<double>(std::numeric_limits<T>::epsilon()) * sizes.data()[i]);
    CHECK(wrong == 0);
}
#define SAME_SCAN(expression) \
 check_same_scan(             \
     #expression, [&](const auto& q) { return expression; }, h, x)
#define NEAR_SCAN(expression) \
 check_near_scan(             \
     #expression, [&](const auto& q) { return expression; }, h, x)

template <typename T>
void check_scans(const gpu::Device& d, const pv::Shape& shape) {
    const auto h = scanned_numbers<T>(shape);
    const auto x = gpu::to_device(h, d);
    for (index_t a = 0; a < static_cast<index_t>(shape.size()); ++a) {
        SAME_SCAN(pv::cummin(q, a));
        SAME_SCAN(pv::cummax(q, a));
        if constexpr (std::floating_point<T>) {
            NEAR_SCAN(pv::cumsum(q, a));
        } else {
            SAME_SCAN(pv::cumsum(q, a));
            SAME_SCAN(pv::cumprod(q, a));
        }
    }
}

TEST_CASE("scans of a line: integers and extremes have the host's bits, sums are near") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t n : oracle::some_of<index_t>(
                 {1, 2, 7, 8, 9, 17, 255, 2047, 2048, 2049, 8191, 8192, 8193, 20000})) {
            check_scans<float>(d, {n});
            check_scans<std::int64_t>(d, {n});
            check_scans<bool>(d, {n});
        }
        for (const index_t n : {3000, 50000}) check_scans<double>(d, {n});
        const auto check_casts = [&]<typename T>(T) { // a scan of each is of its own kernels
            const auto h = scanned_numbers<T>({9000});
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cummax(q));
            SAME_SCAN(pv::cummin(q(pv::range(0, 3000))));
            SAME_SCAN(pv::cumsum(q(pv::range(0, 3000))));
        };
        check_casts(std::int8_t{});
        check_casts(std::int16_t{});
        check_casts(std::int32_t{});
        check_casts(std::uint8_t{});
        check_casts(std::uint16_t{});
        check_casts(std::uint32_t{});
        check_casts(std::uint64_t{});
    });
}

TEST_CASE("scans along axes, few and many lanes") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const pv::Shape& shape : oracle::some_of<pv::Shape>({{2, 9000},
                                                                  {5, 300},
                                                                  {40, 40},
                                                                  {3, 4, 50},
                                                                  {513, 33},
                                                                  {300, 5},
                                                                  {3000, 40},
                                                                  {1, 1, 7},
                                                                  {1000, 9},
                                                                  {7, 1},
                                                                  {2, 700, 32}})) {
            check_scans<float>(d, shape);
            check_scans<std::int32_t>(d, shape);
        }
        check_scans<bool>(d, {600, 64});
        { // columns of up to 512: the host's bits
            const auto h = scanned_numbers<float>({512, 40});
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cumsum(q, 0));
            SAME_SCAN(pv::cumprod(q + 1, 0));
        }
        const auto h = pv::clone(scanned_numbers<double>({3000, 7}) / 100 + 1);
        const auto x = gpu::to_device(h, d);
        CHECK(
            pv::allclose(gpu::to_host(pv::cumprod(x, 0)), pv::cumprod(h, 0), {.relative = 1e-12}));
    });
}

TEST_CASE("scans of long lanes, whose totals are scanned in parts again") {
    on_every_computing_device([](const gpu::Device& d) {
        {
            const auto h = scanned_numbers<std::int32_t>({2'000'003});
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cumsum(q));
            SAME_SCAN(pv::cummax(q));
        }
        {
            const auto h = scanned_numbers<float>({1'500'000});
            const auto x = gpu::to_device(h, d);
            NEAR_SCAN(pv::cumsum(q));
            CHECK(different_elements(pv::clone(gpu::to_host(pv::cumsum(x))),
                                     pv::clone(gpu::to_host(pv::cumsum(x)))) == 0);
        }
        {
            const auto h = scanned_numbers<std::int32_t>({140'000, 33}); // 547 parts: more than 512
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cumsum(q, 0));
        }
    });
}

TEST_CASE("scans of views and of what is computed, in the first pass") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto back = pv::range({}, {}, -1);
        for (const pv::Shape& shape : {pv::Shape{60, 50}, {50, 9000}}) {
            const auto h = scanned_numbers<std::int32_t>(shape);
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cumsum(q * 3 - q(back, pv::all), 1));
            SAME_SCAN(pv::cumsum(pv::transpose(q), 0));
            SAME_SCAN(pv::cumsum(pv::transpose(q) % 7, 1));
            SAME_SCAN(pv::cumsum(q(pv::all, pv::range(3, {}, 2)), 1));
            SAME_SCAN(pv::cummax(pv::rotate(q, {1, 2}), 0));
            SAME_SCAN(pv::cumsum(pv::rotate(q, {0, 5}), 1));
            SAME_SCAN(pv::cumsum(q(0, pv::all) +
                                 pv::Tensor<index_t>(pv::progression_operand(3, shape[1] + 2))));
            SAME_SCAN(pv::cumsum(q > 0, 1));
            SAME_SCAN(pv::cumsum(pv::broadcast(q(0, pv::all), {70, shape[1]}), 0));
            SAME_SCAN(pv::cumsum(pv::reshape(q, {shape[0] * shape[1] / 10, 10}) + 1, 1));
        }
        const auto h = scanned_numbers<std::int64_t>({3000});
        const auto x = gpu::to_device(h, d);
        SAME_SCAN([&] { // several kernels
            pv::Tensor<std::int64_t> sum = q;
            for (int i = 0; i < 300; ++i) sum = sum * 3 + q;
            return pv::cumsum(sum);
        }());
    });
}

TEST_CASE("scans by indexes of 64 bits") {
    on_every_computing_device([](const gpu::Device& d) {
        // A few elements of more than 2^32, which have a formula.
        constexpr index_t far = index_t{1} << 32;
        const auto numbers = pv::Tensor<index_t>(pv::progression_operand(0, far + 20000))(
            pv::range(far, far + 20000));
        const auto h = scanned_numbers<std::int64_t>({20000});
        const auto x = gpu::to_device(h, d);
        CHECK(pv::explain(x + numbers).find("64 bits") != std::string::npos);
        SAME_SCAN(pv::cumsum(q + numbers));
        SAME_SCAN(pv::cumsum(pv::reshape(q + numbers, {500, 40}), 0));
    });
}

TEST_CASE("scans: NaN, infinities, the two zeros, and nothing") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const index_t n : {100, 9000}) {
            const auto h = pv::clone(pv::zeros<float>(pv::Shape{6, n}));
            h(0, 0) = -0.f;
            h(1, pv::all) = -0.f;
            h(2, pv::all) = pv::clone(pv::reshape(scanned_numbers<float>({n}), {n}));
            h(2, 60) = NAN;
            h(3, 3) = INFINITY;
            h(3, 70) = -INFINITY;
            h(4, pv::range(0, {}, 3)) = -0.f;
            h(5, pv::range(1, {}, 3)) = -0.f;
            const auto x = gpu::to_device(h, d);
            SAME_SCAN(pv::cummin(q, 1));
            SAME_SCAN(pv::cummax(q, 1));
            SAME_SCAN(pv::cummax(pv::transpose(q), 0));
            SAME_SCAN(pv::cumsum(pv::transpose(q)(pv::all, pv::range(3, {})), 0));
            SAME_SCAN(pv::cumsum(q(pv::range(0, 2), pv::all), 1));
            SAME_SCAN(pv::cumsum(q(pv::range(3, {}), pv::all), 1));
            SAME_SCAN(pv::cumprod(q(pv::range(0, 2), pv::all) + 1, 1));
            SAME_SCAN(pv::cummax(q, 1, pv::skip_nan));
        }
        const auto h = pv::clone(pv::zeros<float>(pv::Shape{0, 5}));
        const auto x = gpu::to_device(h, d);
        SAME_SCAN(pv::cumsum(q, 0));
        SAME_SCAN(pv::cumsum(q, 1));
    });
}

TEST_CASE("scan_lanes: to the host, over its own source, and of what is an error") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = scanned_numbers<std::int64_t>({40, 300});
        const auto x = gpu::to_device(h, d);
        const auto expected = pv::clone(pv::cumsum(h, 1));
        const auto here = pv::clone(pv::zeros<std::int64_t>(pv::Shape{40, 300}));
        pv::scan_lanes({pv::Reduction::sum, 300, 1}, x.operand(), here.operand());
        CHECK(different_elements(here, expected) == 0);
        const auto backwards = x(pv::all, pv::range({}, {}, -1));
        pv::scan_lanes({pv::Reduction::sum, 300, 1}, backwards.operand(), x.operand());
        CHECK(different_elements(pv::clone(gpu::to_host(x)),
                                 pv::clone(pv::cumsum(h(pv::all, pv::range({}, {}, -1)), 1))) == 0);

        const auto line = pv::clone(pv::arange(30000));
        const auto there = gpu::to_device(line, d);
        const auto message = [](auto f) {
            try {
                f();
            } catch (const pv::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const auto divided = [](const auto& q) { return pv::cumsum(100 / (q - 777)); };
        CHECK_FALSE(message([&] { divided(line); }).empty());
        CHECK(message([&] { gpu::to_host(divided(there)); }) == message([&] { divided(line); }));
        CHECK(message([&] { pv::cumsum(there + line); }).find("mixed places") != std::string::npos);
        CHECK(pv::explain(pv::cumsum, there).find("three passes over parts of 8192") !=
              std::string::npos);
        CHECK(pv::explain(pv::cumsum, there(pv::range(0, 20))).find("4 threads") !=
              std::string::npos);
    });
}

} // namespace
