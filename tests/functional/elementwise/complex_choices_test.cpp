#include <support/catch.hpp>

#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

// Complex numbers: signs, rounding, tests, choices and the ends of tanh, beside loops over std::complex.

namespace complex_choices_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <typename P>
bool same(P a, P b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
template <typename P>
bool same(const std::complex<P>& a, const std::complex<P>& b) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

/// Numbers of which some parts are zeros, halves, infinite or NaN.
template <typename P>
std::vector<std::complex<P>> numbers(std::size_t count) {
    constexpr P kInf = std::numeric_limits<P>::infinity();
    const P special[] = {P{0},   -P{0}, P{0.5}, P{-0.5}, P{1.5},
                         P{2.5}, -P{1}, kInf,   -kInf,   std::numeric_limits<P>::quiet_NaN()};
    std::mt19937_64 random(21);
    std::uniform_real_distribution<P> plain(-4, 4);
    const auto part = [&] { return random() % 2 == 0 ? special[random() % 10] : plain(random); };
    std::vector<std::complex<P>> values;
    while (values.size() < count) {
        const P a = part();
        values.push_back({a, part()});
    }
    return values;
}

template <typename C>
std::vector<pv::Tensor<C>> views_of(const pv::Tensor<C>& z) {
    return {z,
            pv::transpose(z),
            pv::flip(z, 1),
            z(pv::range(0, z.extent(0), 2), pv::range(1, z.extent(1))),
            pv::conj(pv::conj(z)),
            pv::full({0, 3}, C(1)),
            pv::full({4}, C(1, -2))};
}

/// A function of tensors, of those whose type is known at run time, and under dims.
template <typename P, typename F, typename G>
void check(const char* name, F function, G twin) {
    using C = std::complex<P>;
    using R = decltype(twin(C()));
    const auto z = pv::tensor(numbers<P>(9 * 31), {9, 31});
    const auto agree = [&](const auto& got, const std::vector<R>& expected) {
        const std::vector<R> values = pv::to_vector(got);
        REQUIRE(values.size() == expected.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            if constexpr (std::is_same_v<R, bool>)
                REQUIRE(values[i] == expected[i]);
            else
                REQUIRE(same(values[i], expected[i]));
    };
    for (const pv::Tensor<C>& view : views_of(pv::Tensor<C>(z))) {
        INFO(name << " of " << pv::kDType<C>.name());
        std::vector<R> expected;
        for (const C& each : pv::to_vector(view)) expected.push_back(twin(each));
        STATIC_REQUIRE(std::is_same_v<decltype(function(view)), pv::Tensor<R>>);
        agree(function(view), expected);
        const pv::AnyTensor any = function(pv::AnyTensor(view));
        REQUIRE(any.dtype() == pv::kDType<R>);
        REQUIRE(any.shape() == view.shape());
        agree(pv::Tensor<R>(any.operand()), expected);
    }
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<R> turned = function(z(i, j)) | pv::order(j, i);
    std::vector<R> expected;
    for (const C& each : pv::to_vector(pv::transpose(z))) expected.push_back(twin(each));
    agree(turned, expected);
}

} // namespace

TEMPLATE_TEST_CASE("signs, rounding and tests of complex numbers", "", float, double) {
    using P = TestType;
    using C = std::complex<P>;
    check<P>("rint", pv::rint,
             [](const C& z) { return C(std::nearbyint(z.real()), std::nearbyint(z.imag())); });
    check<P>("signum", pv::signum, [](const C& z) {
        // The same size as the library's, which is off by a last digit now and then.
        const P size = pv::to_vector(pv::abs(pv::full({1}, z)))[0];
        return size == 0 ? C(0) : C(z.real() / size, z.imag() / size);
    });
    check<P>("is_nan", pv::is_nan,
             [](const C& z) { return std::isnan(z.real()) || std::isnan(z.imag()); });
    check<P>("is_infinite", pv::is_infinite,
             [](const C& z) { return std::isinf(z.real()) || std::isinf(z.imag()); });
    check<P>("is_finite", pv::is_finite,
             [](const C& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); });
    check<P>("is_zero", pv::is_zero, [](const C& z) { return z == C(0); });
    check<P>("reciprocal", pv::reciprocal,
             [](const C& z) { return pv::to_vector(1 / pv::full({1}, z))[0]; });
    check<P>("tanh", pv::tanh, [](const C& z) {
        if (std::isinf(z.real()) && std::isfinite(z.imag()))
            return C(std::copysign(P{1}, z.real()), std::copysign(P{0}, z.imag()));
        return std::tanh(z);
    });
    const pv::AnyTensor z(pv::full({2}, C(1)));
    CHECK_THROWS_AS(pv::is_even(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::is_pos(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::relu(z), pv::DtypeError);
    CHECK_THROWS_AS(pv::floor(z), pv::DtypeError);
}

TEMPLATE_TEST_CASE("choices between complex and other numbers", "", float, double) {
    using P = TestType;
    using C = std::complex<P>;
    using Wide = std::complex<double>;
    const auto z = pv::tensor(numbers<P>(7 * 5), {7, 5});
    const auto y = pv::transpose(pv::tensor(numbers<P>(7 * 5), {5, 7}));
    const auto real = pv::clone(pv::real(y));
    const auto wide = pv::cast<double>(real);
    const auto count = pv::tensor(std::vector<int>{1, -2, 3, 4, 5});
    const pv::Tensor<bool> mask = pv::real(z) < pv::imag(y);
    const auto verify = [&]<typename R>(const pv::Tensor<R>& got, const pv::AnyTensor& any,
                                        auto first, auto second) {
        REQUIRE(any.dtype() == pv::kDType<R>);
        const pv::Tensor<R> run_time(any.operand());
        REQUIRE(got.shape() == pv::Shape{7, 5});
        for (index_t i = 0; i < 7; ++i)
            for (index_t j = 0; j < 5; ++j) {
                const R right = mask(i, j) ? R(first(i, j)) : R(second(i, j));
                REQUIRE(same(R(got(i, j)), right));
                REQUIRE(same(R(run_time(i, j)), right));
            }
    };
    using A = pv::AnyTensor;
    const auto of = [](const auto& x) {
        return [&x](index_t i, index_t j) {
            return typename std::decay_t<decltype(x)>::value_type(x(i, j));
        };
    };
    const auto number = [](auto value) { return [value](index_t, index_t) { return value; }; };
    verify(pv::where(mask, z, y), pv::where(mask, A(z), A(y)), of(z), of(y));
    verify(pv::where(mask, z, real), pv::where(mask, A(z), A(real)), of(z), of(real));
    verify(pv::where(mask, z, 2.5), pv::where(mask, A(z), 2.5), of(z), number(P{2.5}));
    verify(pv::where(mask, 1, z), pv::where(mask, 1, A(z)), number(P{1}), of(z));
    verify(pv::where(mask, z, C(0, 1)), pv::where(mask, A(z), C(0, 1)), of(z), number(C(0, 1)));
    verify(pv::where(mask, wide, z), pv::where(mask, A(wide), A(z)), of(wide),
           [&](index_t i, index_t j) { return Wide(C(z(i, j))); });
    verify(pv::where(mask, z, count), pv::where(mask, A(z), A(count)), of(z),
           [&](index_t, index_t j) { return static_cast<P>(int(count(j))); });
    verify(pv::where(mask, real, C(0, 1)), pv::where(mask, A(real), C(0, 1)), of(real),
           number(C(0, 1)));
    CHECK_THROWS_AS(pv::where(mask, z, pv::full({4}, C(1))), pv::ShapeError);
    CHECK_THROWS_AS(pv::where(mask, A(z), A(pv::full({4}, C(1)))), pv::ShapeError);
    CHECK_THROWS_WITH(pv::where(A(mask), A(z), A(pv::full({5}, std::string("a")))),
                      "where: not defined for elements of type string");
}

} // namespace complex_choices_test
