#pragma once

#include <concepts>
#include <type_traits>

namespace purview::inline v0_1 {

// Operations as function objects, for elements that the engine has no kernels for, such as
// `std::complex`.

#define PURVIEW_GENERIC_OF_ONE(NAME, RESULT)              \
 struct NAME {                                            \
  template <typename A>                                   \
  auto operator()(const A& a) const -> decltype(RESULT) { \
   return RESULT;                                         \
  }                                                       \
 };
#define PURVIEW_GENERIC_OF_TWO(NAME, RESULT)                          \
 struct NAME {                                                        \
  template <typename A, typename B>                                   \
  auto operator()(const A& a, const B& b) const -> decltype(RESULT) { \
   return RESULT;                                                     \
  }                                                                   \
 };
#define PURVIEW_GENERIC_OPERATOR(NAME, OPERATOR) PURVIEW_GENERIC_OF_TWO(NAME, a OPERATOR b)

// The operators. (Those of <functional> cost every user the time to compile that header.)
PURVIEW_GENERIC_OPERATOR(Plus, +)
PURVIEW_GENERIC_OPERATOR(Minus, -)
PURVIEW_GENERIC_OPERATOR(Multiplies, *)
PURVIEW_GENERIC_OPERATOR(Divides, /)
PURVIEW_GENERIC_OPERATOR(Modulus, %)
PURVIEW_GENERIC_OPERATOR(EqualTo, ==)
PURVIEW_GENERIC_OPERATOR(NotEqualTo, !=)
PURVIEW_GENERIC_OPERATOR(Less, <)
PURVIEW_GENERIC_OPERATOR(LessEqual, <=)
PURVIEW_GENERIC_OPERATOR(Greater, >)
PURVIEW_GENERIC_OPERATOR(GreaterEqual, >=)
PURVIEW_GENERIC_OPERATOR(LogicalAnd, &&)
PURVIEW_GENERIC_OPERATOR(LogicalOr, ||)
PURVIEW_GENERIC_OPERATOR(BitAnd, &)
PURVIEW_GENERIC_OPERATOR(BitOr, |)
PURVIEW_GENERIC_OPERATOR(BitXor, ^)
PURVIEW_GENERIC_OPERATOR(LeftShift, <<)
PURVIEW_GENERIC_OPERATOR(RightShift, >>)
PURVIEW_GENERIC_OF_ONE(Negate, -a)
PURVIEW_GENERIC_OF_ONE(LogicalNot, !a)
PURVIEW_GENERIC_OF_ONE(BitNot, ~a)

// Functions that the namespaces of the element types have. They come before the objects of these
// names, which would hide them.
PURVIEW_GENERIC_OF_ONE(GenericSquare, (a * a))
PURVIEW_GENERIC_OF_ONE(GenericSquareRoot, sqrt(a))
PURVIEW_GENERIC_OF_ONE(GenericCubeRoot, cbrt(a))
PURVIEW_GENERIC_OF_ONE(GenericExp, exp(a))
PURVIEW_GENERIC_OF_ONE(GenericExp2, exp2(a))
PURVIEW_GENERIC_OF_ONE(GenericExpm1, expm1(a))
PURVIEW_GENERIC_OF_ONE(GenericLog, log(a))
PURVIEW_GENERIC_OF_ONE(GenericLog2, log2(a))
PURVIEW_GENERIC_OF_ONE(GenericLog10, log10(a))
PURVIEW_GENERIC_OF_ONE(GenericLog1p, log1p(a))
PURVIEW_GENERIC_OF_ONE(GenericSin, sin(a))
PURVIEW_GENERIC_OF_ONE(GenericCos, cos(a))
PURVIEW_GENERIC_OF_ONE(GenericTan, tan(a))
PURVIEW_GENERIC_OF_ONE(GenericAsin, asin(a))
PURVIEW_GENERIC_OF_ONE(GenericAcos, acos(a))
PURVIEW_GENERIC_OF_ONE(GenericAtan, atan(a))
PURVIEW_GENERIC_OF_ONE(GenericSinh, sinh(a))
PURVIEW_GENERIC_OF_ONE(GenericCosh, cosh(a))
PURVIEW_GENERIC_OF_ONE(GenericTanh, tanh(a))
PURVIEW_GENERIC_OF_ONE(GenericFloor, floor(a))
PURVIEW_GENERIC_OF_ONE(GenericCeil, ceil(a))
PURVIEW_GENERIC_OF_ONE(GenericRound, round(a))
PURVIEW_GENERIC_OF_ONE(GenericRint, rint(a))
PURVIEW_GENERIC_OF_ONE(GenericTrunc, trunc(a))
PURVIEW_GENERIC_OF_TWO(GenericPower, pow(a, b))
PURVIEW_GENERIC_OF_TWO(GenericHypot, hypot(a, b))
PURVIEW_GENERIC_OF_TWO(GenericAtan2, atan2(a, b))
PURVIEW_GENERIC_OF_TWO(GenericIeeeRemainder, remainder(a, b))
#undef PURVIEW_GENERIC_OPERATOR
#undef PURVIEW_GENERIC_OF_ONE
#undef PURVIEW_GENERIC_OF_TWO

struct GenericAbsolute {
    // Of a double, `abs` without a namespace could be the one of int.
    template <typename T>
        requires(!std::is_arithmetic_v<T>)
    auto operator()(const T& x) const -> decltype(abs(x)) { return abs(x); }
};
struct GenericMinimum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return y < x ? y : x;
    }
};
struct GenericMaximum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return x < y ? y : x;
    }
};

/// For operations that no type outside of the built-in ones has.
struct NoGeneric {};

} // namespace purview
