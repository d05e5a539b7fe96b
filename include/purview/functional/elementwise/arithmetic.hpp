#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

#include <utility>

namespace purview {

// Element-wise arithmetic, lazy, broadcasting by NumPy's rule: at least one operand is a tensor,
// the other may be a number. Types are promoted as docs/semantics.md says. Integers wrap; `/` and
// `%` truncate as in C++, and throw `ArithmeticError` when a divisor is an integer zero, at
// evaluation.

template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator+(const X& x, const Y& y) { return apply_binary<Op::add, Plus>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator-(const X& x, const Y& y) { return apply_binary<Op::subtract, Minus>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator*(const X& x, const Y& y) { return apply_binary<Op::multiply, Multiplies>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator/(const X& x, const Y& y) { return apply_binary<Op::divide, Divides>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator%(const X& x, const Y& y) { return apply_binary<Op::remainder, Modulus>(x, y); }

template <TensorLike X>
auto operator-(const X& x) {
    return apply_unary<Op::negative, Negate>(x);
}

// The same for a tensor and an array that is not a tensor.
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator+(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) + as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator-(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) - as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator*(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) * as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator/(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) / as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator%(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) % as_tensor(std::forward<Y>(y));
}

} // namespace purview
