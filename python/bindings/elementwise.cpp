// Functions of elements, by their C++ names.

#include "options.hpp"
#include "python_arithmetic.hpp"
#include "times.hpp"

#include <purview/expression/operations.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/where.hpp>

namespace purview_python {
namespace {

template <pv::Op op>
void bind_unary(nb::module_& module, const char* name, const char* text) {
    module.def(
        name, [](nb::handle x) { return pv::any_unary(op, operand_of(x).operand); }, nb::arg("x"),
        text);
}
template <pv::Op op>
void bind_binary(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [](nb::handle x, nb::handle y) { return binary_of(op, operand_of(x), operand_of(y)); },
        nb::arg("x"), nb::arg("y"), text);
}
template <pv::Composed what>
void bind_composed(nb::module_& module, const char* name, const char* text) {
    module.def(
        name, [](nb::handle x) { return pv::any_composed(what, operand_of(x).operand); },
        nb::arg("x"), text);
}
template <pv::ComposedOfTwo what>
void bind_bits(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [](nb::handle x, nb::handle y) {
            return pv::any_composed(what, operand_of(x), operand_of(y));
        },
        nb::arg("x"), nb::arg("y"), text);
}

} // namespace

void bind_elementwise(nb::module_& module) {
    using pv::Composed;
    using pv::Op;
#define PURVIEW_UNARY(op, name, text) \
 bind_unary<Op::op>(module, name, text " Of each element, lazy.");
    PURVIEW_UNARY(square_root, "sqrt", "The square root.")
    PURVIEW_UNARY(square, "square", "x * x.")
    PURVIEW_UNARY(exp, "exp", "e to the power x.")
    PURVIEW_UNARY(exp2, "exp2", "2 to the power x.")
    PURVIEW_UNARY(expm1, "expm1", "exp(x) - 1, exact near 0.")
    PURVIEW_UNARY(log, "log", "The natural logarithm.")
    PURVIEW_UNARY(log2, "log2", "The logarithm to base 2.")
    PURVIEW_UNARY(log10, "log10", "The logarithm to base 10.")
    PURVIEW_UNARY(log1p, "log1p", "log(1 + x), exact near 0.")
    PURVIEW_UNARY(sin, "sin", "The sine.")
    PURVIEW_UNARY(cos, "cos", "The cosine.")
    PURVIEW_UNARY(tan, "tan", "The tangent.")
    PURVIEW_UNARY(asin, "asin", "The inverse sine.")
    PURVIEW_UNARY(acos, "acos", "The inverse cosine.")
    PURVIEW_UNARY(atan, "atan", "The inverse tangent.")
    PURVIEW_UNARY(sinh, "sinh", "The hyperbolic sine.")
    PURVIEW_UNARY(cosh, "cosh", "The hyperbolic cosine.")
    PURVIEW_UNARY(tanh, "tanh", "The hyperbolic tangent.")
    PURVIEW_UNARY(cbrt, "cbrt", "The cube root.")
    PURVIEW_UNARY(negative, "negative", "-x.")
    PURVIEW_UNARY(signum, "sign", "-1, 0 or 1.")
    PURVIEW_UNARY(floor, "floor", "Rounded down.")
    PURVIEW_UNARY(ceil, "ceil", "Rounded up.")
    PURVIEW_UNARY(trunc, "trunc", "Rounded towards zero.")
    PURVIEW_UNARY(rint, "round", "Rounded to the nearest integer, halves to even.")
    PURVIEW_UNARY(next_up, "next_up", "The next larger float.")
    PURVIEW_UNARY(next_down, "next_down", "The next smaller float.")
    PURVIEW_UNARY(ulp, "ulp", "The distance to the next larger float in magnitude.")
#undef PURVIEW_UNARY
#define PURVIEW_BINARY(op, name, text) \
 bind_binary<Op::op>(module, name, text " Of elements broadcast together, lazy.");
    PURVIEW_BINARY(add, "add", "x + y.")
    PURVIEW_BINARY(subtract, "subtract", "x - y.")
    PURVIEW_BINARY(multiply, "multiply", "x * y.")
    PURVIEW_BINARY(minimum, "minimum", "The lesser of each two.")
    PURVIEW_BINARY(maximum, "maximum", "The greater of each two.")
    PURVIEW_BINARY(hypot, "hypot", "sqrt(x² + y²).")
    PURVIEW_BINARY(atan2, "atan2", "The angle of (y, x).")
    PURVIEW_BINARY(ieee_remainder, "ieee_remainder",
                   "x less the nearest multiple of y, the even one for ties.")
    PURVIEW_BINARY(remainder, "rem", "The remainder of x / y, with the sign of x.")
#undef PURVIEW_BINARY
#define PURVIEW_COMPOSED(name, text) \
 bind_composed<Composed::name>(module, #name, text " Of each element, lazy.");
    PURVIEW_COMPOSED(logistic, "1 / (1 + exp(-x)).")
    PURVIEW_COMPOSED(relu, "x, or 0 where x is negative.")
    PURVIEW_COMPOSED(to_degrees, "Radians as degrees.")
    PURVIEW_COMPOSED(to_radians, "Degrees as radians.")
    PURVIEW_COMPOSED(is_zero, "Whether it is 0 or -0.")
    PURVIEW_COMPOSED(is_pos, "Whether it is above 0.")
    PURVIEW_COMPOSED(is_neg, "Whether it is below 0.")
    PURVIEW_COMPOSED(is_even, "Whether it is a multiple of 2.")
    PURVIEW_COMPOSED(is_odd, "Whether it is an odd integer.")
    PURVIEW_COMPOSED(is_integral, "Whether it is finite and has no fraction.")
#undef PURVIEW_COMPOSED
#define PURVIEW_BITS(name, text) \
 bind_bits<pv::ComposedOfTwo::name>(module, #name, text " Of integers broadcast together, lazy.");
    PURVIEW_BITS(bit_and_not, "x & ~y.")
    PURVIEW_BITS(bit_set, "x with bit y set; x where there is no such bit.")
    PURVIEW_BITS(bit_clear, "x with bit y cleared.")
    PURVIEW_BITS(bit_flip, "x with bit y flipped.")
    PURVIEW_BITS(bit_test, "Whether bit y of x is set.")
    PURVIEW_BITS(unsigned_shift_right, "x shifted right by y bits, with zeros from the left.")
#undef PURVIEW_BITS
    module.def(
        "quot",
        [](nb::handle x, nb::handle y) {
            return pv::any_unary(
                Op::trunc, pv::any_binary(Op::divide, operand_of(x), operand_of(y)).operand());
        },
        nb::arg("x"), nb::arg("y"),
        "x / y rounded towards zero. Of elements broadcast together, lazy.");
    module.def(
        "get_significand",
        [](nb::handle x) { return Array(pv::significand_operand(number_array(x).operand())); },
        nb::arg("x"),
        "The 53 bits of the fraction of each element as float64: int64, lazy. ArithmeticError of infinities and NaN, when read.");
    bind_composed<Composed::is_nan>(module, "isnan", "Whether each element is NaN, lazy.");
    bind_composed<Composed::is_finite>(module, "isfinite",
                                       "Whether each element is neither infinite nor NaN, lazy.");
    bind_composed<Composed::is_infinite>(module, "isinf",
                                         "Whether each element is infinite, lazy.");
    bind_composed<Composed::reciprocal>(module, "reciprocal", "1 / x, lazy.");
    module.def(
        "logaddexp",
        [](nb::handle x, nb::handle y) {
            return pv::any_composed(pv::ComposedOfTwo::logaddexp, operand_of(x), operand_of(y));
        },
        nb::arg("x"), nb::arg("y"), "log(exp(x) + exp(y)) without overflow, lazy.");
    module.def(
        "abs", [](nb::handle x) { return absolute(as_array(x)); }, nb::arg("x"),
        "The absolute value of each element, lazy.");
    module.def(
        "where",
        [](nb::handle condition, nb::handle x, nb::handle y) {
            const pv::WeakOperand a = operand_of(x);
            const pv::WeakOperand b = operand_of(y);
            if (kind_of(a.operand.dtype()).unit != nullptr ||
                kind_of(b.operand.dtype()).unit != nullptr)
                return chosen_times(as_array(condition), a, b);
            return chosen(as_array(condition), a, b);
        },
        nb::arg("condition"), nb::arg("x"), nb::arg("y"),
        "x where the condition is true, else y: broadcast together, lazy.");
}

} // namespace purview_python
