#pragma once

#include <concepts>
#include <type_traits>

namespace purview {

// Operations as function objects, for elements that the engine has no kernels for, such as
// `std::complex`.

// The operators. (Those of <functional> cost every user the time to compile that header.)

struct Plus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a + b) {
        return a + b;
    }
};
struct Minus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a - b) {
        return a - b;
    }
};
struct Multiplies {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a * b) {
        return a * b;
    }
};
struct Divides {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a / b) {
        return a / b;
    }
};
struct Modulus {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a % b) {
        return a % b;
    }
};
struct EqualTo {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a == b) {
        return a == b;
    }
};
struct NotEqualTo {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a != b) {
        return a != b;
    }
};
struct Less {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a < b) {
        return a < b;
    }
};
struct LessEqual {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a <= b) {
        return a <= b;
    }
};
struct Greater {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a > b) {
        return a > b;
    }
};
struct GreaterEqual {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a >= b) {
        return a >= b;
    }
};
struct LogicalAnd {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a && b) {
        return a && b;
    }
};
struct LogicalOr {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a || b) {
        return a || b;
    }
};
struct Negate {
    template <typename A>
    auto operator()(const A& a) const -> decltype(-a) {
        return -a;
    }
};
struct LogicalNot {
    template <typename A>
    auto operator()(const A& a) const -> decltype(!a) {
        return !a;
    }
};

struct BitAnd {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a & b) {
        return a & b;
    }
};
struct BitOr {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a | b) {
        return a | b;
    }
};
struct BitXor {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a ^ b) {
        return a ^ b;
    }
};
struct BitNot {
    template <typename A>
    auto operator()(const A& a) const -> decltype(~a) {
        return ~a;
    }
};
struct LeftShift {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a << b) {
        return a << b;
    }
};
struct RightShift {
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> decltype(a >> b) {
        return a >> b;
    }
};

// Functions that the namespaces of the element types have. They come before the objects of these
// names, which would hide them.

struct GenericAbsolute {
    // Of a double, `abs` without a namespace could be the one of int.
    template <typename T>
        requires(!std::is_arithmetic_v<T>)
    auto operator()(const T& x) const -> decltype(abs(x)) { return abs(x); }
};
struct GenericSquareRoot {
    template <typename T>
    auto operator()(const T& x) const -> decltype(sqrt(x)) {
        return sqrt(x);
    }
};
struct GenericSquare {
    template <typename T>
    auto operator()(const T& x) const -> decltype(x * x) {
        return x * x;
    }
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

struct GenericCubeRoot {
    template <typename T>
    auto operator()(const T& x) const -> decltype(cbrt(x)) {
        return cbrt(x);
    }
};
struct GenericExp {
    template <typename T>
    auto operator()(const T& x) const -> decltype(exp(x)) {
        return exp(x);
    }
};
struct GenericExp2 {
    template <typename T>
    auto operator()(const T& x) const -> decltype(exp2(x)) {
        return exp2(x);
    }
};
struct GenericExpm1 {
    template <typename T>
    auto operator()(const T& x) const -> decltype(expm1(x)) {
        return expm1(x);
    }
};
struct GenericLog {
    template <typename T>
    auto operator()(const T& x) const -> decltype(log(x)) {
        return log(x);
    }
};
struct GenericLog2 {
    template <typename T>
    auto operator()(const T& x) const -> decltype(log2(x)) {
        return log2(x);
    }
};
struct GenericLog10 {
    template <typename T>
    auto operator()(const T& x) const -> decltype(log10(x)) {
        return log10(x);
    }
};
struct GenericLog1p {
    template <typename T>
    auto operator()(const T& x) const -> decltype(log1p(x)) {
        return log1p(x);
    }
};
struct GenericSin {
    template <typename T>
    auto operator()(const T& x) const -> decltype(sin(x)) {
        return sin(x);
    }
};
struct GenericCos {
    template <typename T>
    auto operator()(const T& x) const -> decltype(cos(x)) {
        return cos(x);
    }
};
struct GenericTan {
    template <typename T>
    auto operator()(const T& x) const -> decltype(tan(x)) {
        return tan(x);
    }
};
struct GenericAsin {
    template <typename T>
    auto operator()(const T& x) const -> decltype(asin(x)) {
        return asin(x);
    }
};
struct GenericAcos {
    template <typename T>
    auto operator()(const T& x) const -> decltype(acos(x)) {
        return acos(x);
    }
};
struct GenericAtan {
    template <typename T>
    auto operator()(const T& x) const -> decltype(atan(x)) {
        return atan(x);
    }
};
struct GenericSinh {
    template <typename T>
    auto operator()(const T& x) const -> decltype(sinh(x)) {
        return sinh(x);
    }
};
struct GenericCosh {
    template <typename T>
    auto operator()(const T& x) const -> decltype(cosh(x)) {
        return cosh(x);
    }
};
struct GenericTanh {
    template <typename T>
    auto operator()(const T& x) const -> decltype(tanh(x)) {
        return tanh(x);
    }
};
struct GenericFloor {
    template <typename T>
    auto operator()(const T& x) const -> decltype(floor(x)) {
        return floor(x);
    }
};
struct GenericCeil {
    template <typename T>
    auto operator()(const T& x) const -> decltype(ceil(x)) {
        return ceil(x);
    }
};
struct GenericRound {
    template <typename T>
    auto operator()(const T& x) const -> decltype(round(x)) {
        return round(x);
    }
};
struct GenericRint {
    template <typename T>
    auto operator()(const T& x) const -> decltype(rint(x)) {
        return rint(x);
    }
};
struct GenericTrunc {
    template <typename T>
    auto operator()(const T& x) const -> decltype(trunc(x)) {
        return trunc(x);
    }
};
struct GenericPower {
    template <typename T, typename U>
    auto operator()(const T& x, const U& y) const -> decltype(pow(x, y)) {
        return pow(x, y);
    }
};
struct GenericHypot {
    template <typename T, typename U>
    auto operator()(const T& x, const U& y) const -> decltype(hypot(x, y)) {
        return hypot(x, y);
    }
};
struct GenericAtan2 {
    template <typename T, typename U>
    auto operator()(const T& x, const U& y) const -> decltype(atan2(x, y)) {
        return atan2(x, y);
    }
};
struct GenericIeeeRemainder {
    template <typename T, typename U>
    auto operator()(const T& x, const U& y) const -> decltype(remainder(x, y)) {
        return remainder(x, y);
    }
};

/// For operations that no type outside of the built-in ones has.
struct NoGeneric {};

} // namespace purview
