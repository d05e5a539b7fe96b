#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>

namespace purview {

/// The lazy result of `op` on two operands, at least one of which is a tensor. `Generic` is applied
/// to elements of types that the engine has no kernels for.
template <Op op, typename Generic, typename X, typename Y>
auto apply_binary(const X& x, const Y& y) {
    if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
        return any_binary(op, weak_operand(x), weak_operand(y));
    } else if constexpr (BuiltinOperands<X, Y>) {
        using C = ComputedIn<op, Computed<X, Y>>;
        if constexpr (std::is_void_v<C>) {
            static_assert(kRefused<C>, "these element types have no common type (a signed integer "
                                       "with uint64): cast one of them");
            return Refusal{};
        } else {
            static_assert(kSupports<op, C>,
                          "this operation is not defined for elements of this type");
            using R = std::conditional_t<is_comparison(op), bool, C>;
            return result_of<ResultHandle<R, X, Y>>(
                []<typename A, typename B>(A&& a, B&& b) {
                    return binary_operand(op, std::forward<A>(a), std::forward<B>(b), kDType<C>,
                                          kDType<R>);
                },
                operand_as<C>(x), operand_as<C>(y));
        }
    } else if constexpr (std::invocable<Generic, const OperandElement<X>&,
                                        const OperandElement<Y>&>) {
        return map_operands(Generic{}, x, y);
    } else {
        static_assert(kRefused<X>, "these element types do not have this operation");
        return x;
    }
}

/// The base of a function object of two operands. Called with the second one alone it gives a stage:
/// `x | f(2)` is `f(x, 2)`.
template <typename Function>
struct SecondOperandAsStage {
    template <NumberLike Y>
    auto operator()(const Y& y) const {
        return make_stage(function(), static_cast<Scalar<Y>>(y));
    }
    template <TensorLike Y>
    auto operator()(const Y& y) const {
        return make_stage(function(), y);
    }

private:
    const Function& function() const { return static_cast<const Function&>(*this); }
};

/// A function object for a binary operation, which is also a stage of its second operand.
template <Op op, typename Generic>
struct BinaryFunction : SecondOperandAsStage<BinaryFunction<op, Generic>> {
    using SecondOperandAsStage<BinaryFunction>::operator();

    template <typename X, typename Y>
        requires TensorOperands<X, Y>
    auto operator()(const X& x, const Y& y) const { return apply_binary<op, Generic>(x, y); }

    /// For two numbers, a number, of the type that the operation gives for tensors of their common
    /// type.
    template <NumberLike X, NumberLike Y>
    auto operator()(const X& x, const Y& y) const {
        using C = ComputedIn<op, Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>>;
        return apply_to_numbers<op, Generic>(static_cast<C>(static_cast<Scalar<X>>(x)),
                                             static_cast<C>(static_cast<Scalar<Y>>(y)));
    }
};

/// The lazy result of `op` on every element. `Generic` is applied to elements of types that the
/// engine has no kernels for.
template <Op op, typename Generic, TensorLike X>
auto apply_unary(const X& x) {
    if constexpr (!TypedTensor<X>) {
        return any_unary(op, x.operand());
    } else if constexpr (BuiltinType<typename X::value_type>) {
        using C = ComputedIn<op, typename X::value_type>;
        static_assert(kSupports<op, C>, "this operation is not defined for elements of this type");
        return result_of<ResultHandle<C, X>>(
            [](const Operand& operand) { return unary_operand(op, operand, kDType<C>); },
            operand_as<C>(x));
    } else if constexpr (std::invocable<Generic, const typename X::value_type&>) {
        return map_operands(Generic{}, x);
    } else {
        static_assert(kRefused<X>, "this element type does not have this operation");
        return x;
    }
}

/// A function object for a unary operation, which is also a stage. Of a number it gives a number,
/// so that one generic function can take tensors and the scalar symbols of a computation alike.
template <Op op, typename Generic>
struct UnaryFunction : PipelineStage {
    template <typename T>
    static constexpr bool kIsDefinedFor =
        BuiltinType<T> ? kSupports<op, ComputedIn<op, T>> : std::invocable<Generic, const T&>;

    template <TensorLike X>
    auto operator()(const X& x) const {
        return apply_unary<op, Generic>(x);
    }
    template <NumberLike X>
    auto operator()(const X& x) const {
        using C = ComputedIn<op, Scalar<X>>;
        return apply_to_number<op>(static_cast<C>(static_cast<Scalar<X>>(x)));
    }
};

} // namespace purview
