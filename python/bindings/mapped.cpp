// Functions of the Array API that the engine has no operation for: the C++ library's, element by element. Lazy.

#include "array.hpp"
#include "python_arithmetic.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>

#include <nanobind/stl/string_view.h>

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <string_view>

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
    module.def(
        "acosh", [](nb::handle x) { return mapped_float<acoshFunction>(as_array(x)); },
        nb::arg("x"), "The inverse hyperbolic cosine of each element, lazy.");
    module.def(
        "asinh", [](nb::handle x) { return mapped_float<asinhFunction>(as_array(x)); },
        nb::arg("x"), "The inverse hyperbolic sine of each element, lazy.");
    module.def(
        "atanh", [](nb::handle x) { return mapped_float<atanhFunction>(as_array(x)); },
        nb::arg("x"), "The inverse hyperbolic tangent of each element, lazy.");
    module.def(
        "signbit", [](nb::handle x) { return mapped_float<SignBit>(as_array(x)); }, nb::arg("x"),
        "Whether the sign of each element is set, of -0 too; lazy.");
    module.def(
        "copysign",
        [](nb::handle x, nb::handle y) {
            return mapped_floats<CopySign>(operand_of(x), operand_of(y));
        },
        nb::arg("x"), nb::arg("y"), "x with the sign of y: broadcast together, lazy.");
    module.def(
        "nextafter",
        [](nb::handle x, nb::handle y) {
            return mapped_floats<NextAfter>(operand_of(x), operand_of(y));
        },
        nb::arg("x"), nb::arg("y"),
        "The number after x in the direction of y: broadcast together, lazy.");
    // Of complex numbers, by name.
    module.def("_complex", [](std::string_view name, nb::handle object) {
        const Array x = as_array(object);
        if (name == "sqrt") return mapped_float<sqrtFunction>(x);
        if (name == "log") return mapped_float<logFunction>(x);
        if (name == "sin") return mapped_float<sinFunction>(x);
        if (name == "cos") return mapped_float<cosFunction>(x);
        if (name == "tan") return mapped_float<tanFunction>(x);
        if (name == "asin") return mapped_float<asinFunction>(x);
        if (name == "acos") return mapped_float<acosFunction>(x);
        if (name == "atan") return mapped_float<atanFunction>(x);
        if (name == "sinh") return mapped_float<sinhFunction>(x);
        if (name == "cosh") return mapped_float<coshFunction>(x);
        if (name == "exp") return mapped_float<expFunction>(x);
        if (name == "expm1") return mapped_float<ExponentialMinusOne>(x);
        return mapped_float<HyperbolicTangent>(x);
    });
    module.def(
        "real",
        [](nb::handle object) {
            const Array x = as_array(object);
            return pv::is_complex(x.dtype()) ? Array(pv::real_part(x.operand())) : x;
        },
        nb::arg("x"), "The real parts, lazy; of real numbers the array itself.");
    module.def(
        "imag",
        [](nb::handle object) { return Array(pv::imaginary_part(as_array(object).operand())); },
        nb::arg("x"), "The imaginary parts, lazy.");
    module.def("_from_parts", [](nb::handle re, nb::handle im) {
        return Array(pv::complex_from_parts(as_array(re).operand(), as_array(im).operand()));
    });
    module.def(
        "conj",
        [](nb::handle object) {
            const Array x = as_array(object);
            return pv::is_complex(x.dtype()) ? Array(pv::complex_conjugate(x.operand())) : x;
        },
        nb::arg("x"), "The complex conjugates, lazy; of real numbers the array itself.");
}

} // namespace purview_python
