// Functions of the Array API that the engine has no operation for: the C++ library's, element by element. Lazy.

#include "elements.hpp"
#include "python_arithmetic.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

namespace purview_python {
namespace {

template <typename R, typename T, typename F>
class MappedOne final : public pv::BlockFunction {
public:
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        for (pv::index_t i = 0; i < count; ++i)
            static_cast<R*>(out)[i] = F()(static_cast<const T*>(operands[0])[i]);
    }
};
template <typename T, typename F>
class MappedTwo final : public pv::BlockFunction {
public:
    void apply(pv::index_t count, void* out, const void* const* operands) const override {
        for (pv::index_t i = 0; i < count; ++i)
            static_cast<T*>(out)[i] =
                F()(static_cast<const T*>(operands[0])[i], static_cast<const T*>(operands[1])[i]);
    }
};

template <typename T, typename F>
Array mapped(const Array& x) {
    using R = decltype(F()(T()));
    const Array cast = cast_to(x, pv::kDType<T>);
    return Array(pv::elementwise<1>(pv::Op::map, pv::kDType<R>, {cast.operand()},
                                    std::make_shared<const MappedOne<R, T, F>>()));
}

/// The function in the type of x: float32, complex64, complex128, else float64.
template <typename F>
Array mapped_float(const Array& x) {
    using C = std::complex<double>;
    if (x.dtype() == pv::float32 || pv::is_float16(x.dtype())) return mapped<float, F>(x);
    if constexpr (std::invocable<F, C>) {
        if (x.dtype() == pv::kDType<std::complex<float>>) return mapped<std::complex<float>, F>(x);
        if (x.dtype() == pv::kDType<C>) return mapped<C, F>(x);
    }
    if (pv::is_complex(x.dtype())) pv::throw_dtype_unsupported("the function", x.dtype());
    return mapped<double, F>(x);
}
template <typename F>
Array mapped_floats(pv::WeakOperand x, pv::WeakOperand y) {
    pv::DType type = pv::computed_dtype("the function", x, y);
    if (!type.is_floating()) type = pv::float64;
    std::array<pv::Operand, 2> operands = {cast_to(Array(x.operand), type).operand(),
                                           cast_to(Array(y.operand), type).operand()};
    pv::broadcast_operands(operands, "the function");
    if (type == pv::float32)
        return Array(pv::elementwise<2>(pv::Op::map, type, std::move(operands),
                                        std::make_shared<const MappedTwo<float, F>>()));
    return Array(pv::elementwise<2>(pv::Op::map, type, std::move(operands),
                                    std::make_shared<const MappedTwo<double, F>>()));
}

#define PURVIEW_COMPLEX_FUNCTION(NAME) \
 struct NAME##Function {               \
  template <typename T>                \
  auto operator()(T x) const {         \
   return std::NAME(x);                \
  }                                    \
 };
PURVIEW_COMPLEX_FUNCTION(acosh)
PURVIEW_COMPLEX_FUNCTION(asinh)
PURVIEW_COMPLEX_FUNCTION(atanh)
PURVIEW_COMPLEX_FUNCTION(sqrt)
PURVIEW_COMPLEX_FUNCTION(log)
PURVIEW_COMPLEX_FUNCTION(sin)
PURVIEW_COMPLEX_FUNCTION(cos)
PURVIEW_COMPLEX_FUNCTION(tan)
PURVIEW_COMPLEX_FUNCTION(asin)
PURVIEW_COMPLEX_FUNCTION(acos)
PURVIEW_COMPLEX_FUNCTION(atan)
PURVIEW_COMPLEX_FUNCTION(sinh)
PURVIEW_COMPLEX_FUNCTION(cosh)
PURVIEW_COMPLEX_FUNCTION(exp)
#undef PURVIEW_COMPLEX_FUNCTION

struct SignBit {
    template <std::floating_point T>
    bool operator()(T x) const {
        return std::signbit(x);
    }
};
struct CopySign {
    template <typename T>
    T operator()(T x, T y) const {
        return std::copysign(x, y);
    }
};
struct NextAfter {
    template <typename T>
    T operator()(T x, T y) const {
        return std::nextafter(x, y);
    }
};

struct HyperbolicTangent {
    template <typename T>
    std::complex<T> operator()(std::complex<T> z) const {
        if (std::isinf(z.real()) &&
            std::isfinite(z.imag())) // as the Array API has it, whatever the sign of sin 2b
            return {std::copysign(T{1}, z.real()), std::copysign(T{0}, z.imag())};
        return std::tanh(z);
    }
    template <std::floating_point T>
    T operator()(T x) const {
        return std::tanh(x);
    }
};
struct Power {
    template <typename T>
    T operator()(T x, T y) const {
        return std::pow(x, y);
    }
};
/// exp(z) - 1, of (eᵃ - 1)·cos b - 2·sin²(b/2) + i·eᵃ·sin b where that is finite.
struct ExponentialMinusOne {
    template <typename T>
    std::complex<T> operator()(std::complex<T> z) const {
        const T a = z.real();
        const T b = z.imag();
        if (!std::isfinite(a) || !std::isfinite(b)) return std::exp(z) - T{1};
        const T half = std::sin(b / 2);
        return {std::expm1(a) * std::cos(b) - 2 * half * half + T{0}, std::exp(a) * std::sin(b)};
    }
    template <std::floating_point T>
    T operator()(T x) const {
        return std::expm1(x);
    }
};

template <pv::Op op, typename F>
Array real_or_complex(const Array& x) {
    return pv::is_complex(x.dtype()) ? mapped_float<F>(x) : pv::any_unary(op, x.operand());
}
Array logarithm(const Array& x) { return real_or_complex<pv::Op::log, logFunction>(x); }
template <pv::Op op, double factor>
Array scaled_logarithm(const Array& x) {
    if (!pv::is_complex(x.dtype())) return pv::any_unary(op, x.operand());
    return pv::any_binary(pv::Op::multiply, {logarithm(x).operand()},
                          {pv::constant_operand(factor), true});
}
Array log1p_of(const Array& x) {
    if (!pv::is_complex(x.dtype())) return pv::any_unary(pv::Op::log1p, x.operand());
    return logarithm(pv::any_binary(pv::Op::add, {x.operand()}, {pv::constant_operand(1.0), true}));
}

} // namespace

Array complex_power(pv::WeakOperand x, pv::WeakOperand y) {
    const pv::DType type = pv::computed_complex(x, y);
    std::array<pv::Operand, 2> operands = {cast_to(Array(x.operand), type).operand(),
                                           cast_to(Array(y.operand), type).operand()};
    pv::broadcast_operands(operands, "pow");
    using C = std::complex<double>;
    if (type == pv::kDType<C>)
        return Array(pv::elementwise<2>(pv::Op::map, type, std::move(operands),
                                        std::make_shared<const MappedTwo<C, Power>>()));
    using F = std::complex<float>;
    return Array(pv::elementwise<2>(pv::Op::map, type, std::move(operands),
                                    std::make_shared<const MappedTwo<F, Power>>()));
}

void bind_mapped(nb::module_& module) {
    using pv::Op;
    define(module, "sqrt", &real_or_complex<Op::square_root, sqrtFunction>, "The square root.");
    define(module, "exp", &real_or_complex<Op::exp, expFunction>, "e to the power x.");
    define(module, "expm1", &real_or_complex<Op::expm1, ExponentialMinusOne>,
           "exp(x) - 1, exact near 0.");
    define(module, "log", &logarithm, "The natural logarithm.");
    define(module, "log2", &scaled_logarithm<Op::log2, std::numbers::log2e>,
           "The logarithm to base 2.");
    define(module, "log10", &scaled_logarithm<Op::log10, std::numbers::log10e>,
           "The logarithm to base 10.");
    define(module, "log1p", &log1p_of, "log(1 + x), exact near 0.");
    define(module, "sin", &real_or_complex<Op::sin, sinFunction>, "The sine.");
    define(module, "cos", &real_or_complex<Op::cos, cosFunction>, "The cosine.");
    define(module, "tan", &real_or_complex<Op::tan, tanFunction>, "The tangent.");
    define(module, "asin", &real_or_complex<Op::asin, asinFunction>, "The inverse sine.");
    define(module, "acos", &real_or_complex<Op::acos, acosFunction>, "The inverse cosine.");
    define(module, "atan", &real_or_complex<Op::atan, atanFunction>, "The inverse tangent.");
    define(module, "sinh", &real_or_complex<Op::sinh, sinhFunction>, "The hyperbolic sine.");
    define(module, "cosh", &real_or_complex<Op::cosh, coshFunction>, "The hyperbolic cosine.");
    define(module, "tanh", &real_or_complex<Op::tanh, HyperbolicTangent>,
           "The hyperbolic tangent.");
    define(module, "acosh", &mapped_float<acoshFunction>, "The inverse hyperbolic cosine.");
    define(module, "asinh", &mapped_float<asinhFunction>, "The inverse hyperbolic sine.");
    define(module, "atanh", &mapped_float<atanhFunction>, "The inverse hyperbolic tangent.");
    define(module, "signbit", &mapped_float<SignBit>, "Whether the sign is set, of -0 too.");
    define(module, "copysign", &mapped_floats<CopySign>, "x1 with the sign of x2.");
    define(module, "nextafter", &mapped_floats<NextAfter>,
           "The number after x1 in the direction of x2.");
}

} // namespace purview_python
