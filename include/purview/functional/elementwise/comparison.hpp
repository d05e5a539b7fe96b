#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/stage.hpp>

#include <utility>

namespace purview {

// Element-wise comparisons and logic, lazy, broadcasting: tensors of bool. Whether two tensors are
// equal as a whole is `all_of(x == y)`. Every comparison with NaN is false, except `!=`.

template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator==(const X& x, const Y& y) { return apply_binary<Op::equal, EqualTo>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator!=(const X& x, const Y& y) { return apply_binary<Op::not_equal, NotEqualTo>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator<(const X& x, const Y& y) { return apply_binary<Op::less, Less>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator<=(const X& x, const Y& y) { return apply_binary<Op::less_equal, LessEqual>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator>(const X& x, const Y& y) { return apply_binary<Op::greater, Greater>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto operator>=(const X& x, const Y& y) {
    return apply_binary<Op::greater_equal, GreaterEqual>(x, y);
}

// The same for a tensor and an array that is not a tensor.
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator==(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) == as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator!=(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) != as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator<(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) < as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator<=(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) <= as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator>(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) > as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator>=(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) >= as_tensor(std::forward<Y>(y));
}

/// Operands of `&&`, `||`, `!`: tensors of bool (or of a type known at run time), and bools.
template <typename X>
concept Logical = std::same_as<X, AnyTensor> || std::same_as < OperandElement<X>,
bool > ;

/// Both operands are evaluated: there is no short-circuit.
template <typename X, typename Y>
    requires TensorOperands<X, Y> && Logical<X> && Logical<Y>
auto operator&&(const X& x, const Y& y) { return apply_binary<Op::logical_and, LogicalAnd>(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y> && Logical<X> && Logical<Y>
auto operator||(const X& x, const Y& y) { return apply_binary<Op::logical_or, LogicalOr>(x, y); }

// The same for a tensor and an array that is not a tensor.
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator&&(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) && as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator||(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) || as_tensor(std::forward<Y>(y));
}

// Of numbers, not silently those of what a handle without dims or axes left converts to: write `x != 0`.
template <typename... X>
Refusal refuse_logic() {
    static_assert(kRefused<X...>, "&&, || and ! are of bools: of numbers write x != 0");
    return {};
}
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !(Logical<X> && Logical<Y>))
Refusal operator&&(const X&, const Y&) { return refuse_logic<X, Y>(); }
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !(Logical<X> && Logical<Y>))
Refusal operator||(const X&, const Y&) { return refuse_logic<X, Y>(); }
template <TensorLike X>
    requires(!Logical<X>)
Refusal operator!(const X&) { return refuse_logic<X>(); }
template <TensorLike X>
    requires Logical<X>
auto operator!(const X& x) { return apply_unary<Op::logical_not, LogicalNot>(x); }

} // namespace purview
