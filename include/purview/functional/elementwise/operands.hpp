#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/tensor/array_stages.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The type that a scalar operand is stored as: its own; for an `Element`, the type of the element;
/// for a pointer to characters, a string, so that nothing dangles; for a float of 16 bits, float.
template <typename S>
struct ScalarType {
    using type = std::conditional_t<std::is_arithmetic_v<S>, Canonical<S>, Widened<S>>;
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
    using type = Widened<T>;
};
template <typename S>
using Scalar = typename ScalarType<std::decay_t<S>>::type;

/// A C++ number, or an element of a tensor of numbers.
template <typename S>
concept NumberLike = !TensorLike<S> && BuiltinType<Scalar<S>>;

/// The element type of an operand, tensor or scalar; of floats of 16 bits, float.
template <typename X>
struct OperandType {
    using type = Scalar<X>;
};
template <TypedTensor X>
struct OperandType<X> {
    using type = Widened<typename std::remove_cvref_t<X>::value_type>;
};
template <typename X>
using OperandElement = typename OperandType<X>::type;

/// Whether a `Y` that is not a tensor can be combined with a tensor `X`: a number, a text, a
/// duration, or, if the elements of X are not of a built-in type, any value that such elements may
/// be combined with; if their type is known at run time, times.
template <typename Y, typename X>
consteval bool is_scalar_operand() {
    if constexpr (NumberLike<Y> || TextLike<Scalar<Y>>)
        return true; // of text beside numbers, each operation says that it has none
    else if constexpr (KernelComplex<Scalar<Y>>)
        return !TypedTensor<X> || BuiltinType<OperandElement<X>> ||
               KernelComplex<OperandElement<X>>;
    else if constexpr (TypedTensor<X>)
        return BuiltinType<OperandElement<X>>
                   ? DurationElement<Scalar<Y>>
                   : ElementType<OperandElement<Y>> &&
                         (!ForeignArray<Y> || std::same_as<OperandElement<X>, OperandElement<Y>>);
    else
        return TimeElement<Scalar<Y>>;
}

template <typename X, typename Y>
consteval bool are_tensor_operands() {
    if constexpr (TensorLike<X> && TensorLike<Y>)
        return true;
    else if constexpr (TensorLike<X>)
        return is_scalar_operand<Y, X>();
    else if constexpr (TensorLike<Y>)
        return is_scalar_operand<X, Y>();
    else
        return false;
}

/// Operands of an element-wise operation: at least one is a tensor. Atomic to the compiler, by a
/// function: for `!=` it compares this constraint with that of `==`, which would take forever with
/// a formula of this size.
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

/// A tensor, and an array that is not a tensor and is converted to one: see `as_tensor`.
template <typename X, typename Y>
concept ArrayOperands = are_array_operands<X, Y>();

/// An operand whose type is known at compile time.
template <typename X>
concept TypedOperand = TypedTensor<X> || !TensorLike<X>;

/// Whether the engine has a kernel for `op` on C++ type `T`; at run time `supports`.
template <Op op, typename T>
inline constexpr bool kSupports = [] {
    constexpr OperandTypes kTypes = traits_of(op).operands;
    if constexpr (std::same_as<T, bool>)
        return kTypes == OperandTypes::built_in || kTypes == OperandTypes::bools ||
               kTypes == OperandTypes::integers_and_bools;
    else
        return !is_bitwise(op) || std::integral<T>;
}();

/// The type that operands of type `T` are converted to: float64 for functions of floats.
template <Op op, typename T>
using ComputedIn =
    std::conditional_t<is_of_floats(op) && std::is_arithmetic_v<T> && !std::floating_point<T>,
                       double, T>;

/// The type that an operation on two numbers computes in.
template <Op op, typename X, typename Y>
using NumbersIn = ComputedIn<op, Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>>;

/// The type that an operation on two operands of built-in types computes in; `void` where there is
/// none.
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

/// Both operands have elements that the engine has kernels for.
template <typename X, typename Y>
concept BuiltinOperands = BuiltinType<OperandElement<X>> && BuiltinType<OperandElement<Y>>;

/// Numbers, of which one at least is complex.
template <typename X, typename Y>
concept ComplexOperands = (KernelComplex<OperandElement<X>> &&
                           (KernelComplex<OperandElement<Y>> || BuiltinType<OperandElement<Y>>)) ||
                          (KernelComplex<OperandElement<Y>> && BuiltinType<OperandElement<X>>);

/// The complex type that they are computed with in: of the wider parts; a scalar beside a tensor is
/// weak.
template <typename X, typename Y>
struct ComplexType {
    static constexpr auto pick() {
        using A = typename PartOfComplex<OperandElement<X>>::type;
        using B = typename PartOfComplex<OperandElement<Y>>::type;
        using Z = std::conditional_t<ComplexElement<OperandElement<X>>, OperandElement<X>,
                                     OperandElement<Y>>;
        constexpr bool kTakesA =
            std::is_void_v<B> || (!std::is_void_v<A> && TensorLike<X> && !TensorLike<Y>);
        constexpr bool kTakesB =
            std::is_void_v<A> || (!std::is_void_v<B> && TensorLike<Y> && !TensorLike<X>);
        if constexpr (kTakesA)
            return WithParts<Z, A>{};
        else if constexpr (kTakesB)
            return WithParts<Z, B>{};
        else
            return WithParts<Z, std::common_type_t<A, B>>{};
    }
    using type = typename decltype(pick())::type;
};

template <typename T>
inline constexpr bool kIsInteger = std::integral<T> && !std::same_as<T, bool>;

/// A comparison of integers for which there is no one type that holds both: uint64 and a signed type,
/// and a number beside elements of another type, which may not be one of theirs.
template <Op op, typename X, typename Y>
concept ComparesIntegers =
    is_comparison(op) && kIsInteger<OperandElement<X>> && kIsInteger<OperandElement<Y>> &&
    (TensorLike<X>&& TensorLike<Y> ? std::is_void_v<Computed<X, Y>>
                                   : !std::same_as<OperandElement<X>, OperandElement<Y>>);

/// Operands of bit operations: integers and bools, and tensors whose type is known at run time.
/// (For elements of other types, these operators may have other meanings.)
template <typename X>
concept HasBits = !TypedOperand<X> || std::integral<OperandElement<X>> ||
                  (TypedTensor<X> && !BuiltinType<OperandElement<X>>);

/// Operands of `&&`, `||`, `!`: tensors of bool (or of a type known at run time), and bools.
template <typename X>
concept Logical = std::same_as<X, AnyTensor> || std::same_as < OperandElement<X>,
bool > ;

/// An argument as a stage keeps it: a tensor, for an array one that owns what it reads; of a number
/// or a text its value.
template <typename X>
auto kept_operand(X&& x) {
    if constexpr (TensorLike<X>)
        return std::remove_cvref_t<X>(std::forward<X>(x));
    else if constexpr (ForeignArray<X>)
        return as_tensor(std::forward<X>(x));
    else
        return static_cast<Scalar<X>>(x);
}

/// The element type of what is there.
template <typename X>
using ElementBehind = OperandElement<TensorOf<X>>;

/// The operands of a function object: at least one is a tensor, or an array in the place of one.
template <typename X, typename Y>
concept ElementOperands = are_tensor_operands<TensorOf<X>, TensorOf<Y>>();

/// Whether `op` has a meaning for elements of these operands; `Generic<op>` is applied to those of
/// types that the engine has no kernels for.
template <Op op, typename X, typename Y>
consteval bool has_operation() {
    if constexpr (is_bitwise(op) && !(HasBits<X> && HasBits<Y>))
        return false;
    else if constexpr ((op == Op::logical_and || op == Op::logical_or) &&
                       !(Logical<X> && Logical<Y>))
        return false;
    else if constexpr (!TypedOperand<X> || !TypedOperand<Y>)
        return true;
    else if constexpr (ComplexOperands<X, Y> && has_complex_binary(op))
        return true;
    else if constexpr (!BuiltinOperands<X, Y>)
        return std::invocable<Generic<op>, const OperandElement<X>&, const OperandElement<Y>&>;
    else if constexpr (ComparesIntegers<op, X, Y>)
        return true;
    else if constexpr (std::is_void_v<ComputedIn<op, Computed<X, Y>>>)
        return false;
    else
        return kSupports<op, ComputedIn<op, Computed<X, Y>>>;
}
template <Op op, typename X>
consteval bool has_operation() {
    if constexpr ((is_bitwise(op) && !HasBits<X>) || (op == Op::logical_not && !Logical<X>))
        return false;
    else if constexpr (!TypedOperand<X>)
        return true;
    else if constexpr (KernelComplex<OperandElement<X>> && has_complex_unary(op))
        return true;
    else if constexpr (!BuiltinType<OperandElement<X>>)
        return std::invocable<Generic<op>, const OperandElement<X>&>;
    else
        return kSupports<op, ComputedIn<op, OperandElement<X>>>;
}

/// Operands that `op` combines, and those that it refuses: atomic as `TensorOperands`.
template <typename X, typename Y, Op op>
concept OperandsOf = has_operation<op, TensorOf<X>, TensorOf<Y>>();
template <typename X, typename Y, Op op>
concept NoOperandsOf = !has_operation<op, TensorOf<X>, TensorOf<Y>>();
template <typename X, Op op>
concept OperandOf = has_operation<op, X>();

/// An operand of type `C`: the operand of a tensor, which the node will cast; a scalar as a
/// constant. Throws `CastError` when the scalar does not fit.
template <typename C, typename X>
decltype(auto) operand_as(const X& x) {
    if constexpr (HasDims<X>)
        return (x); // the handle of the result brings it to common dims
    else if constexpr (TensorLike<X>)
        return (x.operand());
    else if constexpr (BuiltinType<C>)
        return constant_operand<C>(checked_cast<C>(static_cast<Scalar<X>>(x)));
    else
        return constant_operand<OperandElement<X>>(static_cast<OperandElement<X>>(x));
}

template <typename X>
inline constexpr bool kIsPlainTensor = false;
template <ElementType T>
inline constexpr bool kIsPlainTensor<Tensor<T>> = true;

/// An operand of type `C` for a node that takes over that of a temporary `Tensor`, as nothing
/// refers to its elements, and takes numbers as they are. Throws `CastError` when a number does not
/// fit.
template <BuiltinType C, typename X>
decltype(auto) taken_operand_as(X&& x) {
    if constexpr (kIsPlainTensor<X>)
        return TakenOperand(x, empty_node<OperandElement<X>>());
    else if constexpr (!TensorLike<X>)
        return PlainNumber(checked_cast<C>(static_cast<Scalar<X>>(x)));
    else
        return operand_as<C>(x);
}

/// The lazy result, of elements of type R, of `function` of these operands.
template <ElementType R, typename F, typename... X>
auto result_from(F&& function, X&&... x) {
    return result_of<ResultHandle<R, TensorOf<X>...>>(
        std::forward<F>(function),
        operand_as<ElementBehind<X>>(lasting_tensor(std::forward<X>(x)))...);
}

/// An operand whose type is known at run time, and whether it is a scalar and so weak.
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

/// Floats of 16 bits converted to floats, and other operands as they are. Lazy.
PURVIEW_EXPORT Operand widened_operand(Operand x);

/// What `ComplexType` is, at run time, if one of the operands is complex.
PURVIEW_EXPORT DType computed_complex(const WeakOperand& x, const WeakOperand& y);

/// The type that `ComputedType` has, at run time. Casts scalars to it. Throws `DtypeError`,
/// `CastError`.
PURVIEW_EXPORT DType computed_dtype(const char* what, WeakOperand& x, WeakOperand& y);

/// A comparison of integers of any types, exact whatever their signs; numbers are constants of rank
/// 0. Lazy.
PURVIEW_EXPORT Operand compare_integers(Op op, const Operand& x, const Operand& y);

/// What `kSupports` is, at run time.
PURVIEW_EXPORT bool supports(Op op, DType dtype) noexcept;

/// `op` on operands whose types are known at run time. Throw `DtypeError`, `ShapeError`,
/// `CastError`.
PURVIEW_EXPORT AnyTensor any_binary(Op op, WeakOperand x, WeakOperand y);
PURVIEW_EXPORT AnyTensor any_unary(Op op, const Operand& x);

} // namespace purview
