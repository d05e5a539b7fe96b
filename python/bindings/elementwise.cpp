// Functions of elements, by the names of the Array API.

#include "elementwise.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "dim_functions.hpp"
#include "dim_operators.hpp"
#include "dim_types.hpp"
#include "errors.hpp"
#include "python_arithmetic.hpp"
#include "time_arithmetic.hpp"
#include "time_units.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/operations.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <array>
#include <string>

namespace purview_python {
namespace {

using pv::Op;

bool is_over_dims(nb::handle x) { return array_in(x) == nullptr && has_dims(x); }

template <Op op>
Array unary(const Array& x) {
    return pv::any_unary(op, x.operand());
}
Array of_two(Op op, const Array& x, const Array& y) {
    return binary_of(op, {x.operand()}, {y.operand()});
}
pv::WeakOperand number(std::int64_t value) { return {pv::constant_operand(value), true}; }

/// A value for each element of x, without memory.
template <typename T>
Array constant_like(const Array& x, T value) {
    std::array<pv::Operand, 2> both = {pv::constant_operand(value), x.operand()};
    pv::broadcast_operands(both, "the function");
    return Array(std::move(both[0]));
}

template <Op op>
Array logical(pv::WeakOperand x, pv::WeakOperand y) {
    return of_two(op, truth_of(Array(x.operand)), truth_of(Array(y.operand)));
}
Array logical_not(const Array& x) { return inverted(truth_of(x)); }

Array part(bool real, const Array& x) {
    return Array(real ? pv::real_part(x.operand()) : pv::imaginary_part(x.operand()));
}
Array real(const Array& x) { return pv::is_complex(x.dtype()) ? part(true, x) : x; }
Array imaginary(const Array& x) {
    return pv::is_complex(x.dtype()) ? part(false, x) : cast_to(constant_like(x, false), x.dtype());
}
Array conjugate(const Array& x) {
    return pv::is_complex(x.dtype()) ? Array(pv::complex_conjugate(x.operand())) : x;
}
Array from_parts(pv::WeakOperand re, pv::WeakOperand im) {
    return Array(pv::complex_from_parts(re.operand, im.operand));
}

/// Whether elements are NaN, infinite or finite; of complex numbers whether one part is, or both are.
template <pv::Composed what>
Array test(const Array& x) {
    constexpr bool kIsFinite = what == pv::Composed::is_finite;
    if (kind_of(x.dtype()).unit != nullptr && what != pv::Composed::is_infinite) {
        const Array is_missing(pv::nat_mask(x.operand()));
        return kIsFinite ? inverted(is_missing) : is_missing;
    }
    const bool is_exact = x.dtype() == pv::boolean || !x.dtype().is_builtin();
    return is_exact && !pv::is_complex(x.dtype()) && !pv::is_float16(x.dtype())
               ? constant_like(x, kIsFinite)
               : pv::any_composed(what, x.operand());
}

/// -1, 0 or 1; of complex numbers x / |x|.
Array sign(const Array& x) {
    const Array signs = unary<Op::signum>(x);
    return x.dtype().is_integer() || pv::is_complex(x.dtype())
               ? signs
               : pv::any_binary(Op::add, {signs.operand()}, number(0)); // + 0: not -0
}

/// Whether the sign is set.
Array signbit(const Array& x) {
    if (x.dtype() == pv::boolean) return constant_like(x, false);
    return pv::any_composed(pv::Composed::signbit, x.operand());
}
template <pv::Composed what>
Array composed(const Array& x) {
    return pv::any_composed(what, x.operand());
}
template <pv::ComposedOfTwo what>
Array composed(pv::WeakOperand x, pv::WeakOperand y) {
    return pv::any_composed(what, std::move(x), std::move(y));
}

Array quotient(pv::WeakOperand x, pv::WeakOperand y) {
    return unary<Op::trunc>(pv::any_binary(Op::divide, std::move(x), std::move(y)));
}
Array significand(const Array& x) {
    return Array(pv::significand_operand(
        pv::is_float16(x.dtype()) ? pv::widened_operand(x.operand()) : x.operand()));
}

void define_arithmetic(nb::module_& module) {
    define(module, "add", &by_operation<Op::add>, "x1 + x2.");
    define(module, "subtract", &by_operation<Op::subtract>, "x1 - x2.");
    define(module, "multiply", &by_operation<Op::multiply>, "x1 * x2.");
    define(module, "divide", &true_divide, "x1 / x2.");
    define(module, "floor_divide", &floor_divide, "x1 / x2, rounded down.");
    define(module, "remainder", &modulo, "x1 % x2, with the sign of x2.");
    define(module, "pow", &power, "x1 to the power x2.");
    define(module, "minimum", &by_operation<Op::minimum>, "The lesser of each two.");
    define(module, "maximum", &by_operation<Op::maximum>, "The greater of each two.");
    define(module, "hypot", &by_operation<Op::hypot>, "sqrt(x1² + x2²).");
    define(module, "atan2", &by_operation<Op::atan2>, "The angle of (x1, x2).");
    define(module, "logaddexp", &composed<pv::ComposedOfTwo::logaddexp>,
           "log(exp(x1) + exp(x2)) without overflow.");
    define(module, "equal", &by_operation<Op::equal>, "Whether x1 == x2.");
    define(module, "not_equal", &by_operation<Op::not_equal>, "Whether x1 != x2.");
    define(module, "less", &by_operation<Op::less>, "Whether x1 < x2.");
    define(module, "less_equal", &by_operation<Op::less_equal>, "Whether x1 <= x2.");
    define(module, "greater", &by_operation<Op::greater>, "Whether x1 > x2.");
    define(module, "greater_equal", &by_operation<Op::greater_equal>, "Whether x1 >= x2.");
    define(module, "bitwise_and", &by_operation<Op::bit_and>, "x1 & x2.");
    define(module, "bitwise_or", &by_operation<Op::bit_or>, "x1 | x2.");
    define(module, "bitwise_xor", &by_operation<Op::bit_xor>, "x1 ^ x2.");
    define(module, "bitwise_left_shift", &by_operation<Op::shift_left>, "x1 << x2.");
    define(module, "bitwise_right_shift", &by_operation<Op::shift_right>, "x1 >> x2.");
    define(module, "bitwise_invert", &inverted, "~x of integers and bools, bit by bit.");
    define(module, "logical_and", &logical<Op::bit_and>,
           "Whether both elements are true, that is not zero.");
    define(module, "logical_or", &logical<Op::bit_or>,
           "Whether one of the elements is true, or both.");
    define(module, "logical_xor", &logical<Op::bit_xor>,
           "Whether just one of the elements is true.");
    define(module, "logical_not", &logical_not, "Whether an element is zero or false.");
}

/// Functions of floats and of complex numbers.
void define_functions(nb::module_& module) {
    define(module, "sqrt", &unary<Op::square_root>, "The square root.");
    define(module, "exp", &unary<Op::exp>, "e to the power x.");
    define(module, "expm1", &unary<Op::expm1>, "exp(x) - 1, exact near 0.");
    define(module, "log", &unary<Op::log>, "The natural logarithm.");
    define(module, "log2", &unary<Op::log2>, "The logarithm to base 2.");
    define(module, "log10", &unary<Op::log10>, "The logarithm to base 10.");
    define(module, "log1p", &unary<Op::log1p>, "log(1 + x), exact near 0.");
    define(module, "sin", &unary<Op::sin>, "The sine.");
    define(module, "cos", &unary<Op::cos>, "The cosine.");
    define(module, "tan", &unary<Op::tan>, "The tangent.");
    define(module, "asin", &unary<Op::asin>, "The inverse sine.");
    define(module, "acos", &unary<Op::acos>, "The inverse cosine.");
    define(module, "atan", &unary<Op::atan>, "The inverse tangent.");
    define(module, "sinh", &unary<Op::sinh>, "The hyperbolic sine.");
    define(module, "cosh", &unary<Op::cosh>, "The hyperbolic cosine.");
    define(module, "tanh", &unary<Op::tanh>, "The hyperbolic tangent.");
    define(module, "asinh", &unary<Op::asinh>, "The inverse hyperbolic sine.");
    define(module, "acosh", &unary<Op::acosh>, "The inverse hyperbolic cosine.");
    define(module, "atanh", &unary<Op::atanh>, "The inverse hyperbolic tangent.");
    define(module, "signbit", &signbit, "Whether the sign is set, of -0 too.");
    define(module, "copysign", &composed<pv::ComposedOfTwo::copysign>, "x1 with the sign of x2.");
    define(module, "nextafter", &composed<pv::ComposedOfTwo::nextafter>,
           "The number after x1 in the direction of x2.");
}

/// What the Array API and NumPy do not have, by its C++ names.
void define_cpp_names(nb::module_& module) {
    using pv::Composed;
    using pv::ComposedOfTwo;
    define(module, "next_up", &unary<Op::next_up>, "The next larger float.");
    define(module, "next_down", &unary<Op::next_down>, "The next smaller float.");
    define(module, "ulp", &unary<Op::ulp>, "The distance to the next larger float in magnitude.");
    define(module, "erf", &unary<Op::erf>, "The error function.");
    define(module, "erfc", &unary<Op::erfc>, "1 - erf(x), accurate where erf(x) is near 1 too.");
    define(module, "logistic", &composed<Composed::logistic>, "1 / (1 + exp(-x)).");
    define(module, "relu", &composed<Composed::relu>, "x, or 0 where x is negative.");
    define(module, "to_degrees", &composed<Composed::to_degrees>, "Radians as degrees.");
    define(module, "to_radians", &composed<Composed::to_radians>, "Degrees as radians.");
    define(module, "is_zero", &composed<Composed::is_zero>, "Whether it is 0 or -0.");
    define(module, "is_pos", &composed<Composed::is_pos>, "Whether it is above 0.");
    define(module, "is_neg", &composed<Composed::is_neg>, "Whether it is below 0.");
    define(module, "is_even", &composed<Composed::is_even>, "Whether it is a multiple of 2.");
    define(module, "is_odd", &composed<Composed::is_odd>, "Whether it is an odd integer.");
    define(module, "is_integral", &composed<Composed::is_integral>,
           "Whether it is finite and has no fraction.");
    define(module, "ieee_remainder", &by_operation<Op::ieee_remainder>,
           "x1 less the nearest multiple of x2, the even one for ties.");
    define(module, "rem", &by_operation<Op::remainder>,
           "The remainder of x1 / x2, with the sign of x1.");
    define(module, "quot", &quotient, "x1 / x2 rounded towards zero.");
    define(module, "bit_and_not", &composed<ComposedOfTwo::bit_and_not>, "x1 & ~x2.");
    define(module, "bit_set", &composed<ComposedOfTwo::bit_set>,
           "x1 with bit x2 set; x1 where there is no such bit.");
    define(module, "bit_clear", &composed<ComposedOfTwo::bit_clear>, "x1 with bit x2 cleared.");
    define(module, "bit_flip", &composed<ComposedOfTwo::bit_flip>, "x1 with bit x2 flipped.");
    define(module, "bit_test", &composed<ComposedOfTwo::bit_test>, "Whether bit x2 of x1 is set.");
    define(module, "unsigned_shift_right", &composed<ComposedOfTwo::unsigned_shift_right>,
           "x1 shifted right by x2 bits, with zeros from the left.");
    define(module, "get_significand", &significand,
           "The 53 bits of the fraction as float64: int64. ArithmeticError of infinities and NaN, "
           "when read.");
}

} // namespace

void define(nb::module_& module, const char* name, Array (*function)(const Array&),
            const char* text) {
    const std::string signature = "def " + std::string(name) + "(x, /) -> Array";
    const std::string documented = text + std::string(" Of each element, lazy.");
    module.def(
        name,
        [function](nb::handle x) -> nb::object {
            if (const Array* const array = array_in(x))
                return object_made([&] { return function(*array); });
            if (has_dims(x)) return over_dims(function, x);
            return object_of(function(as_array(x)));
        },
        nb::sig(signature.c_str()), documented.c_str());
}

void define(nb::module_& module, const char* name,
            Array (*function)(pv::WeakOperand, pv::WeakOperand), const char* text) {
    const std::string signature = "def " + std::string(name) + "(x1, x2, /) -> Array";
    const std::string documented = text + std::string(" Of elements broadcast together, lazy.");
    module.def(
        name,
        [function](nb::handle x, nb::handle y) -> nb::object {
            if (is_over_dims(x) || is_over_dims(y)) return over_dims(function, x, y);
            pv::WeakOperand left = operand_of(x);
            pv::WeakOperand right = operand_of(y);
            left.weak = left.weak && !right.weak;
            return object_made([&] { return function(std::move(left), std::move(right)); });
        },
        nb::sig(signature.c_str()), documented.c_str());
}

void bind_elementwise(nb::module_& module) {
    define_arithmetic(module);
    define_functions(module);
    define_cpp_names(module);
    define(module, "abs", &absolute, "The absolute value.");
    define(module, "positive", &same, "The array itself.");
    define(module, "negative", &negated, "-x.");
    define(module, "square", &unary<Op::square>, "x * x.");
    define(module, "exp2", &unary<Op::exp2>, "2 to the power x.");
    define(module, "cbrt", &unary<Op::cbrt>, "The cube root.");
    define(module, "floor", &unary<Op::floor>, "Rounded down.");
    define(module, "ceil", &unary<Op::ceil>, "Rounded up.");
    define(module, "trunc", &unary<Op::trunc>, "Rounded towards zero.");
    define(module, "_round", &unary<Op::rint>, "Rounded to the nearest integer, halves to even.");
    define(module, "sign", &sign, "-1, 0 or 1, of complex numbers x / |x|.");
    define(module, "reciprocal", &composed<pv::Composed::reciprocal>, "1 / x.");
    define(module, "isnan", &test<pv::Composed::is_nan>, "Whether it is NaN.");
    define(module, "isfinite", &test<pv::Composed::is_finite>,
           "Whether it is neither infinite nor NaN.");
    define(module, "isinf", &test<pv::Composed::is_infinite>, "Whether it is infinite.");
    define(module, "real", &real, "The real part; of real numbers the array itself.");
    define(module, "imag", &imaginary, "The imaginary part; of real numbers 0.");
    define(module, "conj", &conjugate, "The complex conjugate; of real numbers the array itself.");
    define(module, "_from_parts", &from_parts, "A complex number of its parts.");
    module.def(
        "where",
        [](nb::handle condition, nb::handle x, nb::handle y) -> nb::object {
            if (is_over_dims(condition) || is_over_dims(x) || is_over_dims(y))
                return map_over_dims(nb::module_::import_("purview._core").attr("where"),
                                     nb::make_tuple(condition, x, y));
            const pv::WeakOperand a = operand_of(x);
            const pv::WeakOperand b = operand_of(y);
            const bool is_of_times = kind_of(a.operand.dtype()).unit != nullptr ||
                                     kind_of(b.operand.dtype()).unit != nullptr;
            return object_of(is_of_times ? chosen_times(as_array(condition), a, b)
                                         : pv::any_where(as_array(condition).operand(), a, b));
        },
        nb::arg("condition"), nb::arg("x"), nb::arg("y"),
        "x where the condition is true, else y: broadcast together, lazy.");
}

} // namespace purview_python
