#include "engine/lanes/complex_functions.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/library_function.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <type_traits>
#include <utility>

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

bool has_function(Op op) noexcept {
    return has_complex_unary(op) && op != Op::negative && op != Op::absolute && op != Op::square;
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
    case Op::tanh: return std::tanh(z);
    case Op::asinh: return std::asinh(z);
    case Op::acosh: return std::acosh(z);
    case Op::atanh: return std::atanh(z);
    default: return std::exp(z);
    }
}

/// A function of <complex> as the function of a node.
template <typename P>
class FunctionOfComplex final : public LibraryFunction {
public:
    explicit FunctionOfComplex(Op op)
        : LibraryFunction(FunctionName(name_of(op).data())), op_(op) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const z = static_cast<const std::complex<P>*>(operands[0]);
        for (index_t i = 0; i < count; ++i)
            static_cast<std::complex<P>*>(out)[i] = value_of(op_, z[i]);
    }

private:
    Op op_;
};

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

/// Powers of X to Y, complex or real numbers of these parts.
template <typename P, typename X, typename Y>
class PowerOfComplex final : public LibraryFunction {
public:
    PowerOfComplex() : LibraryFunction(FunctionName("pow")) {}
    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const x = static_cast<const X*>(operands[0]);
        const auto* const y = static_cast<const Y*>(operands[1]);
        for (index_t i = 0; i < count; ++i)
            static_cast<std::complex<P>*>(out)[i] = power(x[i], y[i]);
    }
};

template <typename P>
std::shared_ptr<const BlockFunction> power_of(DType x, DType y) {
    using C = std::complex<P>;
    if (!is_complex(x)) return std::make_shared<const PowerOfComplex<P, P, C>>();
    if (!is_complex(y)) return std::make_shared<const PowerOfComplex<P, C, P>>();
    return std::make_shared<const PowerOfComplex<P, C, C>>();
}

} // namespace

Operand complex_function(Op op, const Operand& z, DType part) {
    if (!has_function(op)) throw_dtype_unsupported(name_of(op).data(), z.dtype());
    if (part == float32)
        return elementwise<1>(Op::map, z.dtype(), {z},
                              std::make_shared<const FunctionOfComplex<float>>(op));
    return elementwise<1>(Op::map, z.dtype(), {z},
                          std::make_shared<const FunctionOfComplex<double>>(op));
}

Operand complex_power(const Operand& x, const Operand& y, DType part) {
    const auto in_parts = [&](const Operand& each) {
        return convert_operand(each, is_complex(each.dtype()) ? complex_dtype(part) : part,
                               Op::cast);
    };
    std::array<Operand, 2> operands{in_parts(x), in_parts(y)};
    broadcast_operands(operands, "pow");
    auto function = part == float32 ? power_of<float>(x.dtype(), y.dtype())
                                    : power_of<double>(x.dtype(), y.dtype());
    return elementwise<2>(Op::map, complex_dtype(part), std::move(operands), std::move(function));
}

} // namespace purview::engine
