#include <support/catch.hpp>

#include <purview/functional/elementwise/complex.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace complex_functions_test {

namespace {

namespace pv = purview;

template <typename P>
bool same_bits(const std::vector<std::complex<P>>& a, const std::vector<std::complex<P>>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(std::complex<P>)) == 0);
}

template <typename P>
std::vector<std::complex<P>> numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<P> parts(-3, 3);
    std::vector<std::complex<P>> values;
    while (values.size() < count) {
        const P a = parts(random);
        values.push_back({a, parts(random)});
    }
    return values;
}

/// A function of tensors, of those whose type is known at run time, and of one number.
template <typename P, typename F, typename G>
void check(const char* name, F function, G twin) {
    using C = std::complex<P>;
    const std::vector<C> values = numbers<P>(35, 3);
    const auto z = pv::tensor(std::vector<C>(values), {5, 7});
    const auto [i, j] = pv::dims("i", "j");
    const std::vector<pv::Tensor<C>> views{
        z,     pv::transpose(z),    pv::flip(z, 1), z(pv::range(0, 5, 2), pv::range(1, 6)),
        z + z, pv::empty<C>({0, 3})};
    for (const pv::Tensor<C>& view : views) {
        INFO(name << " of " << pv::kDType<C>.name());
        std::vector<C> expected;
        for (const C& each : pv::to_vector(view)) expected.push_back(twin(each));
        STATIC_REQUIRE(std::is_same_v<decltype(function(view)), pv::Tensor<C>>);
        CHECK(same_bits(pv::to_vector(function(view)), expected));
        const pv::AnyTensor any = function(pv::AnyTensor(view));
        REQUIRE(any.dtype() == pv::kDType<C>);
        CHECK(any.shape() == view.shape());
        CHECK(same_bits(pv::to_vector(pv::Tensor<C>(any.operand())), expected));
    }
    const pv::Tensor<C> turned = function(z(i, j)) | pv::order(j, i);
    CHECK(same_bits(pv::to_vector(turned), pv::to_vector(function(pv::transpose(z)))));
}

} // namespace

TEMPLATE_TEST_CASE("functions of complex numbers, of a type known when compiled and at run time",
                   "", float, double) {
#define CHECK_FUNCTION(NAME) \
 check<TestType>(#NAME, pv::NAME, [](const auto& z) { return std::NAME(z); })
    CHECK_FUNCTION(sqrt);
    CHECK_FUNCTION(log);
    CHECK_FUNCTION(log10);
    CHECK_FUNCTION(sin);
    CHECK_FUNCTION(cos);
    CHECK_FUNCTION(tan);
    CHECK_FUNCTION(asin);
    CHECK_FUNCTION(acos);
    CHECK_FUNCTION(atan);
    CHECK_FUNCTION(sinh);
    CHECK_FUNCTION(cosh);
    CHECK_FUNCTION(tanh);
    CHECK_FUNCTION(asinh);
    CHECK_FUNCTION(acosh);
    CHECK_FUNCTION(atanh);
#undef CHECK_FUNCTION
}

TEMPLATE_TEST_CASE("log2, log1p and expm1 of complex numbers", "", float, double) {
    using C = std::complex<TestType>;
    using Wide = std::complex<long double>;
    std::vector<C> values = numbers<TestType>(200, 5);
    for (std::size_t i = 0; i < 100; ++i) values[i] *= static_cast<TestType>(std::pow(0.1, i % 12));
    const auto z = pv::tensor(std::vector<C>(values));
    const auto near = [&](const pv::Tensor<C>& got, auto exact) {
        const std::vector<C> all = pv::to_vector(got);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Wide right = exact(Wide(values[i]));
            CAPTURE(values[i], all[i]);
            CHECK(std::abs(Wide(all[i]) - right) <=
                  8 * std::abs(right) * std::numeric_limits<TestType>::epsilon());
        }
    };
    near(pv::log2(z), [](Wide w) { return std::log(w) / std::log(2.0L); });
    near(pv::log1p(z), [](Wide w) {
        return Wide(std::log1p(w.real() * (2 + w.real()) + w.imag() * w.imag()) / 2,
                    std::atan2(w.imag(), 1 + w.real()));
    });
    near(pv::expm1(z), [](Wide w) {
        const long double half = std::sin(w.imag() / 2);
        return Wide(std::expm1(w.real()) * std::cos(w.imag()) - 2 * half * half,
                    std::exp(w.real()) * std::sin(w.imag()));
    });
    CHECK(same_bits(pv::to_vector(pv::Tensor<C>(pv::expm1(pv::AnyTensor(z)).operand())),
                    pv::to_vector(pv::expm1(z))));
    CHECK(pv::to_vector(pv::log1p(pv::tensor({C(TestType(1e-20), 0)})))[0].real() > 0);
}

TEMPLATE_TEST_CASE("powers of complex numbers", "", float, double) {
    using P = TestType;
    using C = std::complex<P>;
    const std::vector<C> a = numbers<P>(12, 7);
    const std::vector<C> b = numbers<P>(12, 8);
    const auto x = pv::tensor(std::vector<C>(a), {3, 4});
    const auto y = pv::tensor(std::vector<C>(b), {3, 4});
    const auto real = pv::clone(pv::real(y));
    const auto same = [](const auto& got, const pv::AnyTensor& any, auto twin) {
        std::vector<C> expected;
        for (std::size_t i = 0; i < 12; ++i) expected.push_back(twin(i));
        CHECK(same_bits(pv::to_vector(got), expected));
        REQUIRE(any.dtype() == pv::kDType<C>);
        CHECK(same_bits(pv::to_vector(pv::Tensor<C>(any.operand())), expected));
    };
    using A = pv::AnyTensor;
    same(pv::pow(x, y), pv::pow(A(x), A(y)), [&](auto i) { return std::pow(a[i], b[i]); });
    same(pv::pow(x, real), pv::pow(A(x), A(real)),
         [&](auto i) { return std::pow(a[i], b[i].real()); });
    same(pv::pow(real, x), pv::pow(A(real), A(x)),
         [&](auto i) { return std::pow(b[i].real(), a[i]); });
    same(pv::pow(x, 2), pv::pow(A(x), 2), [&](auto i) { return std::pow(a[i], P{2}); });
    same(pv::pow(2.5, x), pv::pow(2.5, A(x)), [&](auto i) { return std::pow(P{2.5}, a[i]); });
    same(pv::pow(x, C(0, 1)), pv::pow(A(x), C(0, 1)),
         [&](auto i) { return std::pow(a[i], C(0, 1)); });
    CHECK(pv::pow(x(0, pv::all), pv::transpose(y)(pv::all, pv::range(0, 1))).shape() ==
          pv::Shape{4, 4});
    CHECK_THROWS_AS(pv::pow(x, y(pv::all, pv::range(0, 3))), pv::ShapeError);
    CHECK_THROWS_AS(pv::pow(A(x), A(y(pv::all, pv::range(0, 3)))), pv::ShapeError);
}

TEST_CASE("exp of complex numbers at infinity: C's Annex G") {
    using C = std::complex<double>;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    std::vector<C> values;
    for (const double a : {-kInfinity, -800., -1., 0., 1., 800., kInfinity, kNaN})
        for (const double b : {-kInfinity, -2., -0., 0., 1., 2., 4., kInfinity, kNaN})
            values.push_back({a, b});
    const std::vector<C> got = pv::to_vector(pv::exp(pv::tensor(std::vector<C>(values))));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const C right = std::exp(values[i]);
        CAPTURE(values[i], got[i], right);
        // Signs that C leaves open.
        const bool open = !std::isfinite(values[i].imag());
        const auto agree = [&](double x, double y) {
            if (std::isnan(y)) return std::isnan(x);
            if (open) return std::abs(x) == std::abs(y);
            return std::signbit(x) == std::signbit(y) &&
                   (x == y || std::abs(x - y) <= 1e-15 * std::abs(y));
        };
        CHECK(agree(got[i].real(), right.real()));
        CHECK(agree(got[i].imag(), right.imag()));
    }
}

TEST_CASE("functions that complex numbers do not have") {
    const pv::AnyTensor z(pv::tensor({std::complex<double>(1, 2)}));
    CHECK_THROWS_WITH(pv::exp2(z), "exp2: not defined for elements of type complex128");
    CHECK_THROWS_AS(pv::cbrt(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::erf(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::floor(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::atan2(z, z), pv::DtypeError);
    CHECK_THROWS_AS(pv::signbit(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::mod(z, z), pv::DtypeError);
    CHECK_THROWS_AS(pv::copysign(z, z), pv::DtypeError);
    CHECK_THROWS_AS(pv::integer_pow(z, 2), pv::DtypeError);
}

TEST_CASE("complex powers of numbers that are 0, infinite or NaN end") {
    using C = std::complex<double>;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const auto z = pv::tensor({C(0), C(kNaN, 0), C(kInf, 1), C(2, -1)});
    CHECK(pv::to_vector(pv::pow(z, 0.0)) == std::vector<C>(4, C(1)));
    for (const double y : {kNaN, kInf, -1.0, 2.0}) {
        CHECK(pv::clone(pv::pow(z, y)).size() == 4);
        CHECK(pv::clone(pv::pow(y, z)).size() == 4);
    }
}

} // namespace complex_functions_test
