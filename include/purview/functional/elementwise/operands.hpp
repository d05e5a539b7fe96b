#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace purview {

/// What a scalar operand stands for: itself, what an `Element` refers to, or, so that nothing dangles,
/// the string that a pointer to characters points to.
template <typename S>
struct ScalarType {
    using type = std::conditional_t<std::is_arithmetic_v<S>, Canonical<S>, S>;
};
template <>
struct ScalarType<const char*> {
    using type = std::string;
};
template <>
struct ScalarType<char*> {
    using type = std::string;
};
template <typename T>
struct ScalarType<Element<T>> {
    using type = T;
};
template <typename S>
using Scalar = typename ScalarType<std::decay_t<S>>::type;

/// A C++ number, or an element of a tensor of them.
template <typename S>
concept NumberLike = !TensorLike<S> && BuiltinType<Scalar<S>>;

/// The element type of an operand, tensor or scalar.
template <typename X>
struct OperandType {
    using type = Scalar<X>;
};
template <TypedTensor X>
struct OperandType<X> {
    using type = typename std::remove_cvref_t<X>::value_type;
};
template <typename X>
using OperandElement = typename OperandType<X>::type;

/// Whether a `Y`, which is no tensor, may stand beside a tensor of `X` in an operation: a number, or, where
/// X holds elements of a type that is not built in, any value that such a type may work with.
template <typename Y, typename X>
consteval bool stands_beside() {
    if constexpr (NumberLike<Y>)
        return true;
    else if constexpr (TypedTensor<X>)
        return !BuiltinType<OperandElement<X>> && ElementType<OperandElement<Y>> &&
               (!ForeignArray<Y> || std::same_as<OperandElement<X>, OperandElement<Y>>);
    else
        return false;
}

template <typename X, typename Y>
consteval bool are_tensor_operands() {
    if constexpr (TensorLike<X> && TensorLike<Y>)
        return true;
    else if constexpr (TensorLike<X>)
        return stands_beside<Y, X>();
    else if constexpr (TensorLike<Y>)
        return stands_beside<X, Y>();
    else
        return false;
}

/// Operands of an element-wise operation: at least one is a tensor. One atom to the compiler: `!=` makes
/// it order this constraint against that of `==`, and a formula of this size, taken apart, has no end.
template <typename X, typename Y>
concept TensorOperands = are_tensor_operands<X, Y>();

template <typename X, typename Y>
consteval bool are_array_operands() {
    if constexpr (TensorLike<X>)
        return ForeignArray<Y> && !are_tensor_operands<X, std::remove_cvref_t<Y>>();
    else if constexpr (TensorLike<Y>)
        return ForeignArray<X> && !are_tensor_operands<std::remove_cvref_t<X>, Y>();
    else
        return false;
}

/// A tensor, and an array that is none, which becomes one: see `as_tensor`.
template <typename X, typename Y>
concept ArrayOperands = are_array_operands<X, Y>();

/// Neither is known only at run time.
template <typename X>
concept TypedOperand = TypedTensor<X> || !TensorLike<X>;

/// The type that two operands of built-in types compute in: `void` where there is none.
template <typename X, typename Y>
struct ComputedType {
    static constexpr auto pick() {
        using A = OperandElement<X>;
        using B = OperandElement<Y>;
        if constexpr (TensorLike<X> && TensorLike<Y> && kIsWeak<X> == kIsWeak<Y>)
            return std::type_identity<Promoted<A, B>>{};
        else if constexpr (TensorLike<X> && (!TensorLike<Y> || kIsWeak<Y>))
            return std::type_identity<WeaklyPromoted<A, B>>{};
        else
            return std::type_identity<WeaklyPromoted<B, A>>{};
    }
    using type = typename decltype(pick())::type;
};
template <typename X, typename Y>
using Computed = typename ComputedType<X, Y>::type;

/// Both have elements that the engine has kernels for.
template <typename X, typename Y>
concept BuiltinOperands = BuiltinType<OperandElement<X>> && BuiltinType<OperandElement<Y>>;

/// An operand of type `C`: a tensor's own, to be cast by the node; a scalar as a constant. Throws
/// `CastError` when the scalar does not fit.
template <typename C, typename X>
decltype(auto) operand_as(const X& x) {
    if constexpr (HasDims<X>)
        return (x); // which the handle of the result arranges
    else if constexpr (TensorLike<X>)
        return (x.operand());
    else if constexpr (BuiltinType<C>)
        return constant_operand<C>(checked_cast<C>(static_cast<Scalar<X>>(x)));
    else
        return constant_operand<OperandElement<X>>(static_cast<OperandElement<X>>(x));
}

/// An operand whose type is known at run time, and whether it is a scalar, which is weak.
struct WeakOperand {
    Operand operand;
    bool weak = false;
};

template <typename X>
WeakOperand weak_operand(const X& x) {
    if constexpr (TensorLike<X>)
        return {x.operand(), false};
    else
        return {constant_operand<Scalar<X>>(static_cast<Scalar<X>>(x)), true};
}

/// What `Computed` is, at run time. Casts a scalar to it. Throws `DtypeError`, `CastError`.
PURVIEW_EXPORT DType computed_dtype(const char* what, WeakOperand& x, WeakOperand& y);

/// Whether the engine has a kernel for `op` on elements of a type.
PURVIEW_EXPORT bool supports(Op op, DType dtype) noexcept;

/// `op` on operands known at run time. Throws `DtypeError`, `ShapeError`, `CastError`.
PURVIEW_EXPORT AnyTensor any_binary(Op op, WeakOperand x, WeakOperand y);
PURVIEW_EXPORT AnyTensor any_unary(Op op, const Operand& x);

} // namespace purview
