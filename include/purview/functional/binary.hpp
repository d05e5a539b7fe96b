#pragma once

#include <purview/functional/emap.hpp>
#include <purview/functional/operators.hpp>

#include <concepts>

namespace purview {

/// Whether C++ type `T` has `op` as a kernel: what `supports` tells at run time.
template <Op op, typename T>
inline constexpr bool kSupports =
    !std::same_as<T, bool> || is_comparison(op) || op == Op::add || op == Op::multiply ||
    op == Op::minimum || op == Op::maximum || op == Op::logical_and || op == Op::logical_or ||
    op == Op::logical_not;

/// The lazy result of `op` on two operands, at least one a tensor. `Generic` does the same for
/// elements that the engine has no kernels for.
template <Op op, typename Generic, typename X, typename Y>
auto apply_binary(const X& x, const Y& y) {
    if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
        return any_binary(op, weak_operand(x), weak_operand(y));
    } else if constexpr (BuiltinOperands<X, Y>) {
        using C = Computed<X, Y>;
        static_assert(
            !std::is_void_v<C>,
            "these element types have no common type (a signed integer with uint64): cast one of them");
        static_assert(kSupports<op, C>, "this operation is not defined for bool elements");
        using R = std::conditional_t<is_comparison(op), bool, C>;
        return result_of<ResultHandle<R, X, Y>>(
            []<typename A, typename B>(A&& a, B&& b) {
                return binary_operand(op, std::forward<A>(a), std::forward<B>(b), kDType<C>,
                                      kDType<R>);
            },
            operand_as<C>(x), operand_as<C>(y));
    } else {
        static_assert(std::invocable<Generic, const OperandElement<X>&, const OperandElement<Y>&>,
                      "these element types do not have this operation");
        return map_operands(Generic{}, x, y);
    }
}

/// A function of two operands that is called, and with one of them is no stage.
template <Op op, typename Generic>
struct BinaryFunction {
    template <typename X, typename Y>
        requires TensorOperands<X, Y>
    auto operator()(const X& x, const Y& y) const { return apply_binary<op, Generic>(x, y); }

    /// Of two numbers, a number of their common type; NaN if either is.
    template <NumberLike X, NumberLike Y>
    auto operator()(const X& x, const Y& y) const {
        using C = Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>;
        const auto a = static_cast<C>(static_cast<Scalar<X>>(x));
        const auto b = static_cast<C>(static_cast<Scalar<Y>>(y));
        if constexpr (std::floating_point<C>)
            if (a != a || b != b) return a + b;
        return static_cast<C>(Generic{}(a, b));
    }
};

} // namespace purview
