// Statistics on a device, beside the host: indexes and counts are the same, moments within a few units of their last place.
#include "gpu/same_bits.hpp"

#include <support/rounds.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace {
using namespace gpu_tests;

/// Few values, so that many are equal; with NaN, infinities and both zeros, if asked for.
template <typename T>
pv::MutableTensor<T> tied(const pv::Shape& shape, bool special, unsigned seed) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::mt19937 random(seed);
    const auto line = pv::empty<T>({size});
    for (index_t i = 0; i < size; ++i) {
        line(i) = static_cast<T>(random() % 23);
        if constexpr (std::floating_point<T>)
            if (const auto k = special ? random() % 97 : 97; k < 5)
                line(i) = k == 0   ? std::numeric_limits<T>::quiet_NaN()
                          : k == 1 ? std::numeric_limits<T>::infinity()
                          : k == 2 ? -std::numeric_limits<T>::infinity()
                          : k == 3 ? T(-0.)
                                   : T(0.);
    }
    return pv::clone(pv::reshape(line, shape));
}

/// Normal-like numbers away from 0.
template <typename T>
pv::MutableTensor<T> spread(const pv::Shape& shape, unsigned seed) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::mt19937 random(seed);
    const auto line = pv::empty<T>({size});
    for (index_t i = 0; i < size; ++i)
        line(i) = static_cast<T>(40. + static_cast<double>(random() % 2000000) / 1e5 +
                                 (random() % 8 == 0 ? 30. : 0.));
    return pv::clone(pv::reshape(line, shape));
}

template <typename T>
double distance(T found, T expected) {
    if constexpr (std::floating_point<T>)
        return ulps(found, expected);
    else
        return is_same(found, expected) ? 0 : 1e9;
}

/// The same of elements on the host and on a device: numbers, or results that lie there. NaN where the host has one.
template <typename Call, typename Host, typename There>
void check_near(double most, const char* what, const Call& f, const Host& h, const There& x) {
    INFO(what << " of shape " << pv::to_string(h.shape()));
    const auto host = f(h);
    const auto there = f(x);
    if constexpr (requires { host.operand(); }) {
        CHECK(gpu::device_of(there));
        const auto expected = pv::clone(host);
        const auto found = pv::clone(gpu::to_host(there));
        REQUIRE(expected.shape() == found.shape());
        double worst = 0;
        for (index_t i = 0; i < found.size(); ++i)
            worst = std::max(worst, distance(found.data()[i], expected.data()[i]));
        CHECK(worst <= most);
    } else {
        CHECK(distance(there, host) <= most);
    }
}
#define CHECK_SAME(expression) \
 check_near(                   \
     0, #expression, [&](const auto& q) { return expression; }, h, x)
#define CHECK_NEAR(most, expression) \
 check_near(                         \
     most, #expression, [&](const auto& q) { return expression; }, h, x)

template <typename T>
void check_places(const gpu::Device& d, const pv::Shape& shape, bool special) {
    const auto h = tied<T>(shape, special, static_cast<unsigned>(shape.back()));
    const auto x = gpu::to_device(h, d);
    CHECK_SAME(pv::argmin(q));
    CHECK_SAME(pv::argmax(q));
    CHECK_SAME(pv::argmax_last(q));
    CHECK_SAME(pv::argmin(pv::flip(pv::transpose(q))));
    CHECK_SAME(pv::max_with_index(q).indexes);
    CHECK_SAME(pv::max_with_index(q).values);
    CHECK_SAME(pv::first(q));
    CHECK_SAME(pv::last(pv::flip(q)));
    for (index_t a = 0; a < static_cast<index_t>(shape.size()); ++a) {
        CHECK_SAME(pv::argmin(q, a));
        CHECK_SAME(pv::argmax(q, a, pv::keep_dims));
        CHECK_SAME(pv::argmax(pv::flip(pv::transpose(q)), a));
        CHECK_SAME(pv::argmin(q * q - q, a));
        CHECK_SAME(pv::argmin_last(q, a));
        CHECK_SAME(pv::min_with_index(q, a).indexes);
        CHECK_SAME(pv::min_with_index(q, a).values);
        CHECK_SAME(pv::count_true(q > 3, a));
        CHECK_SAME(pv::first(q, a));
        CHECK_SAME(pv::last(q, a));
    }
    CHECK_SAME(pv::count_true(q > 3));
    if (shape.size() > 2) {
        CHECK_SAME(pv::argmin(q, {2, 0}));
        CHECK_SAME(pv::argmax(q, {0, 1}));
        CHECK_SAME(pv::argmax(pv::transpose(q), {0, 1}));
    }
    if constexpr (std::floating_point<T>) {
        CHECK_SAME(pv::argmin(q, 0, pv::skip_nan));
        CHECK_SAME(pv::max(q, 0, pv::skip_nan));
        CHECK_SAME(pv::first(q, 0, pv::skip_nan));
    }
}

TEST_CASE("places of extremes and counts on a device are the host's") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const pv::Shape& shape :
             oracle::some_of<pv::Shape>({{70000}, {7}, {4, 6}, {3, 700}, {300, 40}, {6, 5, 40}}))
            check_places<double>(d, shape, shape.size() != 3);
        check_places<float>(d, {300, 40}, true);
        check_places<std::int32_t>(d, {6, 5, 40}, false);
        check_places<std::uint8_t>(d, {5000}, false);
        const auto h = pv::clone(tied<std::int32_t>({20, 30}, false, 3) > 11);
        const auto x = gpu::to_device(h, d);
        CHECK_SAME(pv::argmax(q));
        CHECK_SAME(pv::argmin(q, 0));
        CHECK_SAME(pv::count_true(q));
        CHECK_SAME(pv::count_true(q, 1));
        CHECK_SAME(pv::first(q, 1));
    });
}

template <typename T>
void check_moments(const gpu::Device& d, const pv::Shape& shape) {
    const auto h = spread<T>(shape, static_cast<unsigned>(shape.back()));
    const auto x = gpu::to_device(h, d);
    CHECK_NEAR(4, pv::variance(q));
    CHECK_NEAR(4, pv::sample_standard_deviation(q));
    CHECK_NEAR(64, pv::skewness(q));
    CHECK_NEAR(64, pv::kurtosis(q));
    CHECK_NEAR(4, pv::moment(q, 2));
    CHECK_NEAR(8, pv::moment(q, 4));
    CHECK_NEAR(16, pv::moment(q, 6));
    CHECK_NEAR(4, pv::variance(q * T(1e-3)));
    CHECK_NEAR(2, pv::norm(q));
    for (index_t a = 0; a < static_cast<index_t>(shape.size()); ++a) {
        CHECK_NEAR(4, pv::variance(q, a));
        CHECK_NEAR(4, pv::standard_deviation(pv::transpose(q), a));
        CHECK_NEAR(4, pv::sample_variance(q, a, pv::keep_dims));
        CHECK_NEAR(64, pv::skewness(q, a));
        CHECK_NEAR(16, pv::moment(q, 6, a));
        CHECK_NEAR(4, pv::logsumexp(q, a));
        CHECK_NEAR(2, pv::mean(q, a, pv::skip_nan));
        CHECK_NEAR(4, pv::variance(q, a, pv::skip_nan));
    }
}

TEST_CASE("moments on a device are those of the host") {
    on_every_computing_device([](const gpu::Device& d) {
        for (const pv::Shape& shape :
             oracle::some_of<pv::Shape>({{30000}, {9}, {12, 700}, {300, 40}, {6, 5, 40}}))
            check_moments<double>(d, shape);
        check_moments<float>(d, {300, 40});
        const auto h = pv::clone(pv::reshape(pv::arange(6000), {60, 100}));
        const auto x = gpu::to_device(h, d);
        CHECK_NEAR(4, pv::variance(q % 17, 0));
        CHECK_NEAR(4, pv::standard_deviation(q));
    });
}

TEST_CASE("moments on a device: NaN, infinities, sizes beyond the range of squares") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = spread<double>({6, 50}, 5);
        h(1, 7) = NAN;
        h(2, 9) = INFINITY;
        h(3, pv::all) = 4;
        h(4, pv::all) = h(4, pv::all) * 1e200;
        h(5, pv::all) = h(5, pv::all) * 1e-200;
        const auto x = gpu::to_device(h, d);
        CHECK_NEAR(8, pv::variance(q, 1));
        CHECK_NEAR(8, pv::standard_deviation(q, 1));
        CHECK_NEAR(64, pv::skewness(q, 1));
        CHECK_NEAR(8, pv::variance(q, 1, pv::skip_nan));
        CHECK_NEAR(8, pv::standard_deviation(q(4, pv::all)));
        CHECK_NEAR(0, pv::variance(q));
        CHECK_NEAR(4, pv::norm(q, 2, 1));
        CHECK_NEAR(4, pv::logsumexp(q(pv::range(0, 4), pv::all), 1));
    });
}

TEST_CASE("covariances and correlations on a device are those of the host") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = spread<double>({2, 9000}, 8);
        const auto x = gpu::to_device(h, d);
        CHECK_NEAR(4096, pv::covariance(q(0, pv::all), q(1, pv::all)));
        CHECK_NEAR(16, pv::covariance(q(0, pv::all), q(0, pv::all) + q(1, pv::all)));
        CHECK_NEAR(16, pv::pearson(q(0, pv::all), q(0, pv::all) - q(1, pv::all)));
        CHECK_NEAR(16,
                   pv::linear_regression(q(0, pv::all), q(0, pv::all) * 2 + q(1, pv::all)).slope);
        CHECK_THROWS_AS(pv::covariance(x(0, pv::all), h(1, pv::all)), pv::DeviceError);
    });
}

TEST_CASE("statistics of nothing on a device are the host's") {
    on_every_computing_device([](const gpu::Device& d) {
        const auto h = pv::zeros<double>({0, 5});
        const auto x = gpu::to_device(h, d);
        CHECK_SAME(pv::count_true(q > 1));
        CHECK_SAME(pv::count_true(q > 1, 0));
        CHECK_SAME(pv::variance(q));
        CHECK_SAME(pv::variance(q, 0));
        CHECK_SAME(pv::argmax(q, 1));
        CHECK_SAME(pv::first(q, 1));
        CHECK_THROWS_AS(pv::argmax(x), pv::ShapeError);
        CHECK_THROWS_AS(pv::argmin(x, 0), pv::ShapeError);
        CHECK_THROWS_AS(pv::first(x), pv::ShapeError);
        const auto nan = gpu::to_device(pv::clone(pv::zeros<double>({3}) / 0.), d);
        CHECK_THROWS_AS(pv::sum(nan, pv::throw_nan), pv::ArithmeticError);
    });
}

} // namespace
