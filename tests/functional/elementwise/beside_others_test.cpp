// Functions of an element beside others of any size, near the greatest and the least numbers.

#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace beside_others_test {

namespace {

namespace pv = purview;

/// Whether `f` of each of `x` is the same number beside elements that are as large as beside others.
template <typename T, typename F>
bool is_alike(F f, std::vector<T> x, const std::vector<T>& others) {
    const std::vector<T> alone = pv::to_vector(pv::clone(f(pv::tensor(std::vector<T>(x)))));
    for (const T other : others) {
        std::vector<T> mixed = x;
        for (std::size_t i = 0; i < x.size(); i += 3) mixed[i] = other;
        const std::vector<T> beside = pv::to_vector(pv::clone(f(pv::tensor(std::move(mixed)))));
        for (std::size_t i = 0; i < x.size(); ++i)
            if (i % 3 != 0 && beside[i] != alone[i]) return false;
    }
    return true;
}

/// At most an ulp off, and half of one for the rounding of `right`.
bool near(double x, long double right) {
    const auto rounded = static_cast<double>(right);
    const double ulp = std::abs(rounded) - std::nextafter(std::abs(rounded), 0.);
    return std::abs(static_cast<long double>(x) - right) <= static_cast<long double>(ulp);
}

} // namespace

TEMPLATE_TEST_CASE("angles beside others, larger or smaller ones", "", float, double) {
    using T = TestType;
    std::mt19937 random(1);
    const std::vector<T> others{T(1), T(1000), T(1e20), std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::infinity()};
    for (const double size : {1., 15., 120., 3e4, 1e6, 1e8, 1e13, 1e15, 1e30}) {
        CAPTURE(size);
        std::uniform_real_distribution<double> angle(-size, size);
        std::vector<T> x(20'000);
        for (T& each : x) each = static_cast<T>(angle(random));
        // Alone, each is beside angles like itself.
        std::ranges::sort(x, {}, [](T each) { return std::abs(each); });
        CHECK(is_alike([](const auto& t) { return pv::sin(t); }, x, others));
        CHECK(is_alike([](const auto& t) { return pv::cos(t); }, x, others));
        CHECK(is_alike([](const auto& t) { return pv::tan(t); }, x, others));
    }
}

TEST_CASE("angles that are stored in a sparse tensor") {
    std::vector<double> x(1000);
    for (std::size_t i = 0; i < x.size(); i += 7) x[i] = (i % 2 == 0 ? 1e7 : 1e25) + double(i);
    const auto dense = pv::tensor(std::move(x));
    const auto sparse = pv::to_sparse(dense);
    CHECK(pv::equals(pv::sin(sparse), pv::sin(dense)));
    CHECK(pv::equals(pv::tan(sparse), pv::tan(dense)));
}

TEST_CASE("sinh and cosh up to the greatest number are an ulp off at most") {
    // e^x is greater than that from 709.78 on; right are those of long double.
    std::vector<double> x;
    for (int i = 0; i < 4000; ++i) x.push_back(709.0 + i * 0.000369);
    const auto t = pv::tensor(std::vector<double>(x));
    const auto sinh = pv::to_vector(pv::sinh(t)), cosh = pv::to_vector(pv::cosh(t)),
               negative = pv::to_vector(pv::sinh(-t));
    for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        REQUIRE(near(sinh[i], std::sinh(static_cast<long double>(x[i]))));
        REQUIRE(near(cosh[i], std::cosh(static_cast<long double>(x[i]))));
        REQUIRE(negative[i] == -sinh[i]);
    }
}

TEMPLATE_TEST_CASE("functions that are x near zero are x of subnormal numbers", "", float, double) {
    using T = TestType;
    constexpr T kLeast = std::numeric_limits<T>::denorm_min();
    std::vector<T> x{T(-0.), T(0.), std::numeric_limits<T>::min()};
    for (T each = kLeast; each < std::numeric_limits<T>::min(); each *= 3) {
        x.push_back(each);
        x.push_back(-each);
    }
    const auto t = pv::tensor(std::vector<T>(x));
    const auto is_x = [&](const auto& y) {
        const std::vector<T> got = pv::to_vector(y);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (got[i] != x[i] || std::signbit(got[i]) != std::signbit(x[i])) return false;
        return true;
    };
    CHECK(is_x(pv::log1p(t)));
    CHECK(is_x(pv::expm1(t)));
    CHECK(is_x(pv::sin(t)));
    CHECK(is_x(pv::tan(t)));
    CHECK(is_x(pv::asin(t)));
    CHECK(is_x(pv::atan(t)));
    CHECK(is_x(pv::sinh(t)));
    CHECK(is_x(pv::tanh(t)));
    CHECK(is_x(pv::asinh(t)));
    CHECK(is_x(pv::atanh(t)));
}

} // namespace beside_others_test
