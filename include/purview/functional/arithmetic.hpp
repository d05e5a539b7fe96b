#pragma once

#include <purview/functional/binary.hpp>

#include <functional>

namespace purview {

// Element-wise arithmetic, lazy, broadcasting by NumPy's rule: at least one operand is a tensor, the
// other may be a number. Types promote as docs/semantics.md says. Integers wrap; `/` and `%` truncate
// as in C++, and throw `ArithmeticError` when a divisor is an integer zero, at evaluation.

template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator+(const X& x, const Y& y) { return apply_binary<Op::add, std::plus<>>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator-(const X& x, const Y& y) { return apply_binary<Op::subtract, std::minus<>>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator*(const X& x, const Y& y) {
    return apply_binary<Op::multiply, std::multiplies<>>(x, y);
}
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator/(const X& x, const Y& y) { return apply_binary<Op::divide, std::divides<>>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator%(const X& x, const Y& y) { return apply_binary<Op::remainder, std::modulus<>>(x, y); }

} // namespace purview
