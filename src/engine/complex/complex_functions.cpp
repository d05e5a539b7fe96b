#include "engine/complex/complex_functions.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/element_function.hpp>

#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

namespace purview::inline v0_1::engine {
namespace {

/// exp(z) - 1, of (eᵃ - 1)·cos b - 2·sin²(b/2) + i·eᵃ·sin b where that is finite.
template <typename P>
std::complex<P> exponential_minus_one(const std::complex<P>& z) {
    const P a = z.real();
    const P b = z.imag();
    if (!std::isfinite(a) || !std::isfinite(b)) return std::exp(z) - P{1};
    const P half = std::sin(b / 2);
    return {std::expm1(a) * std::cos(b) - 2 * half * half + P{0}, std::exp(a) * std::sin(b)};
}

/// log(1 + z): near 0 half the logarithm of |1 + z|² = 1 + (a(2 + a) + b²).
template <typename P>
std::complex<P> logarithm_of_one_and(const std::complex<P>& z) {
    const P a = z.real();
    const P b = z.imag();
    constexpr P kNear{0.5};
    if (!(std::abs(a) < kNear && std::abs(b) < kNear)) return std::log(z + P{1});
    return {std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a)};
}

/// Of an infinite real part 1 or -1, and a zero of the sign of b, whatever that of sin 2b.
template <typename P>
std::complex<P> hyperbolic_tangent(const std::complex<P>& z) {
    if (std::isinf(z.real()) && std::isfinite(z.imag()))
        return {std::copysign(P{1}, z.real()), std::copysign(P{0}, z.imag())};
    return std::tanh(z);
}

template <typename P>
std::complex<P> value_of(Op op, const std::complex<P>& z) {
    switch (op) {
    case Op::square_root: return std::sqrt(z);
    case Op::expm1: return exponential_minus_one(z);
    case Op::log: return std::log(z);
    case Op::log2: return std::log(z) * std::numbers::log2e_v<P>;
    case Op::log10: return std::log10(z);
    case Op::log1p: return logarithm_of_one_and(z);
    case Op::sin: return std::sin(z);
    case Op::cos: return std::cos(z);
    case Op::tan: return std::tan(z);
    case Op::asin: return std::asin(z);
    case Op::acos: return std::acos(z);
    case Op::atan: return std::atan(z);
    case Op::sinh: return std::sinh(z);
    case Op::cosh: return std::cosh(z);
    case Op::tanh: return hyperbolic_tangent(z);
    case Op::asinh: return std::asinh(z);
    case Op::acosh: return std::acosh(z);
    case Op::atanh: return std::atanh(z);
    default: throw_dtype_unsupported(name_of(op).data(), kDType<std::complex<P>>);
    }
}

/// x to the power of y. libstdc++ makes those of one real and one complex number of a radius and an
/// angle, neither of which may be NaN; the power of 0 is 1.
template <typename X, typename Y>
auto power(const X& x, const Y& y) {
    using C = decltype(x * y);
    const auto is_finite = [](const C& z) {
        return std::isfinite(z.real()) && std::isfinite(z.imag());
    };
    if constexpr (!std::is_same_v<Y, C>)
        if (y == 0) return C(1);
    return is_finite(C(x)) && is_finite(C(y)) ? C(std::pow(x, y)) : std::pow(C(x), C(y));
}

} // namespace

Operand complex_function(Op op, const Operand& z, DType part) {
    if (!has_complex_unary(op)) throw_dtype_unsupported(name_of(op).data(), z.dtype());
    const auto of = [&]<typename C>(std::type_identity<C>) {
        return map_operands<C, C>(FunctionName(name_of(op).data()),
                                  [op](const C& each) { return value_of(op, each); }, {z});
    };
    return part == float32 ? of(std::type_identity<std::complex<float>>())
                           : of(std::type_identity<std::complex<double>>());
}

Operand complex_power(const Operand& x, const Operand& y, DType part) {
    const auto of = [&]<typename X, typename Y>(std::type_identity<X>, std::type_identity<Y>) {
        return map_operands<decltype(X() * Y()), X, Y>(
            FunctionName("pow"), [](const X& of_x, const Y& of_y) { return power(of_x, of_y); },
            {convert_operand(x, kDType<X>, Op::cast), convert_operand(y, kDType<Y>, Op::cast)});
    };
    const auto of_parts = [&]<typename P>(std::type_identity<P> real) {
        const std::type_identity<std::complex<P>> complex;
        if (!is_complex(x.dtype())) return of(real, complex);
        return is_complex(y.dtype()) ? of(complex, complex) : of(complex, real);
    };
    return part == float32 ? of_parts(std::type_identity<float>())
                           : of_parts(std::type_identity<double>());
}

} // namespace purview::engine
