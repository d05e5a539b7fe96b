#pragma once

#include <purview/base/refused.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>

namespace purview::inline v0_1 {

#define PURVIEW_NO_OPERATION                                                    \
 "these element types do not have this operation, or no common type (a signed " \
 "integer with uint64): cast one of them"

/// The lazy result of `op` on two operands that it combines, at least one of which is a tensor.
template <Op op, typename First, typename Second>
auto apply_binary(First&& x, Second&& y) {
    using X = std::remove_cvref_t<First>;
    using Y = std::remove_cvref_t<Second>;
    if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
        return any_binary(op, weak_operand(x), weak_operand(y));
    } else if constexpr (ComparesIntegers<op, X, Y>) {
        return result_of<ResultHandle<bool, X, Y>>(
            [](const Operand& a, const Operand& b) { return compare_integers(op, a, b); },
            operand_as<OperandElement<X>>(x), operand_as<OperandElement<Y>>(y));
    } else if constexpr (ComplexOperands<X, Y> && has_complex_binary(op)) {
        using C = typename ComplexType<X, Y>::type;
        using R = std::conditional_t<is_comparison(op), bool, C>;
        return result_of<ResultHandle<R, X, Y>>(
            [](const Operand& a, const Operand& b) { return complex_binary(op, a, b, kDType<C>); },
            operand_as<OperandElement<X>>(x), operand_as<OperandElement<Y>>(y));
    } else if constexpr (BuiltinOperands<X, Y>) {
        using C = ComputedIn<op, Computed<X, Y>>;
        using R = std::conditional_t<is_comparison(op), bool, C>;
        using Handle = ResultHandle<R, X, Y>;
        if constexpr (HasDims<Handle> && !TensorLike<X>)
            return result_of<Handle>(
                [number = taken_operand_as<C>(x)](const Operand& b) {
                    return binary_operand(op, number, b, kDType<C>, kDType<R>);
                },
                operand_as<C>(y));
        else if constexpr (HasDims<Handle> && !TensorLike<Y>)
            return result_of<Handle>(
                [number = taken_operand_as<C>(y)](const Operand& a) {
                    return binary_operand(op, a, number, kDType<C>, kDType<R>);
                },
                operand_as<C>(x));
        else if constexpr (HasDims<Handle>)
            return result_of<Handle>(
                [](const Operand& a, const Operand& b) {
                    return binary_operand(op, a, b, kDType<C>, kDType<R>);
                },
                operand_as<C>(x), operand_as<C>(y));
        else
            return Handle(binary_operand(op, taken_operand_as<C>(std::forward<First>(x)),
                                         taken_operand_as<C>(std::forward<Second>(y)), kDType<C>,
                                         kDType<R>));
    } else {
        return map_elements(FunctionName(name_of(op).data()), Generic<op>{}, x, y);
    }
}

// An operator of two operands, one of which is a tensor, the other one may be a number or an array.
#define PURVIEW_BINARY_OPERATOR(OPERATOR, OP, SENTENCE)                                \
 template <typename X, typename Y>                                                     \
  requires(TensorOperands<X, Y> && OperandsOf<X, Y, Op::OP>)                           \
 auto operator OPERATOR(const X& x, const Y& y) { return apply_binary<Op::OP>(x, y); } \
 template <typename X, typename Y>                                                     \
  requires(ArrayOperands<X, Y> && OperandsOf<X, Y, Op::OP>)                            \
 auto operator OPERATOR(X&& x, Y&& y) {                                                \
  return as_tensor(std::forward<X>(x)) OPERATOR as_tensor(std::forward<Y>(y));         \
 }                                                                                     \
 template <typename X, typename Y>                                                     \
  requires((TensorOperands<X, Y> || ArrayOperands<X, Y>)&&NoOperandsOf<X, Y, Op::OP>)  \
 PURVIEW_REFUSED(SENTENCE, operator OPERATOR(const X&, const Y&));
// The same for temporary tensors, which the result takes the place of.
#define PURVIEW_BINARY_OPERATOR_OF_TEMPORARIES(OPERATOR, OP)                 \
 template <typename T, typename Y>                                           \
  requires(TensorOperands<Tensor<T>, Y> && OperandsOf<Tensor<T>, Y, Op::OP>) \
 auto operator OPERATOR(Tensor<T>&& x, const Y& y) {                         \
  return apply_binary<Op::OP>(std::move(x), y);                              \
 }                                                                           \
 template <typename X, typename T>                                           \
  requires(TensorOperands<X, Tensor<T>> && OperandsOf<X, Tensor<T>, Op::OP>) \
 auto operator OPERATOR(const X& x, Tensor<T>&& y) {                         \
  return apply_binary<Op::OP>(x, std::move(y));                              \
 }                                                                           \
 template <typename T, typename U>                                           \
  requires OperandsOf<Tensor<T>, Tensor<U>, Op::OP>                          \
 auto operator OPERATOR(Tensor<T>&& x, Tensor<U>&& y) {                      \
  return apply_binary<Op::OP>(std::move(x), std::move(y));                   \
 }
// One of a tensor.
#define PURVIEW_UNARY_OPERATOR(OPERATOR, OP, SENTENCE)                 \
 template <TensorLike X>                                               \
  requires OperandOf<X, Op::OP>                                        \
 auto operator OPERATOR(const X& x) { return apply_unary<Op::OP>(x); } \
 template <TensorLike X>                                               \
  requires(!OperandOf<X, Op::OP>)                                      \
 PURVIEW_REFUSED(SENTENCE, operator OPERATOR(const X&));

#define PURVIEW_NOT_ELEMENTWISE                                                    \
 "these are not the arguments of this function, whose list is docs/catalogue.md, " \
 "or this element type does not have this operation"

/// The base of function objects that are element-wise: what none of their calls takes is refused.
struct ElementwiseFunction {
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    template <typename L = void> // so that whatever converts is a better match
    PURVIEW_REFUSED(PURVIEW_NOT_ELEMENTWISE, operator()(AnyArgument, AnyArgument = {},
                                                        AnyArgument = {}, AnyArgument = {}) const);
};

/// A function object of one array, which is also a stage. `Elements::of(x)` implements it, of
/// tensors whose elements it `kIsDefinedFor` (`void`: of a type known at run time).
template <typename Elements>
struct ElementsFunction : ElementwiseFunction, PipelineStage {
    using ElementwiseFunction::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = Elements::template kIsDefinedFor<Widened<T>>;

    template <array_like X>
        requires(kIsDefinedFor<ElementOrVoid<TensorOf<X>>>)
    auto operator()(X&& x) const { return Elements::of(lasting_tensor(std::forward<X>(x))); }
    ElementsFunction operator()() const { return {}; }
};

/// The base of a function object of two operands. Called with the second one alone it gives a stage:
/// `x | f(2)` is `f(x, 2)`.
template <typename Function>
struct SecondOperandAsStage : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename Y>
        requires(array_like<Y> || NumberLike<Y>)
    auto operator()(Y&& y) const {
        return make_stage(static_cast<const Function&>(*this), kept_operand(std::forward<Y>(y)));
    }
};

/// A function object for a binary operation, which is also a stage of its second operand.
template <Op op>
struct BinaryFunction : SecondOperandAsStage<BinaryFunction<op>> {
    static_assert(traits_of(op).arity == 2);
    using SecondOperandAsStage<BinaryFunction>::operator();

    template <typename X, typename Y>
        requires(ElementOperands<X, Y>&& OperandsOf<X, Y, op>)
    auto operator()(X&& x, Y&& y) const {
        return apply_binary<op>(lasting_tensor(std::forward<X>(x)),
                                lasting_tensor(std::forward<Y>(y)));
    }
    template <typename X, typename Y>
        requires(ElementOperands<X, Y>&& NoOperandsOf<X, Y, op>)
    PURVIEW_REFUSED(PURVIEW_NO_OPERATION, operator()(const X&, const Y&) const);

    /// For two numbers, a number, of the type that the operation gives for tensors of their common
    /// type.
    template <NumberLike X, NumberLike Y>
        requires kSupports<op, NumbersIn<op, X, Y>>
    auto operator()(const X& x, const Y& y) const {
        using C = NumbersIn<op, X, Y>;
        return apply_to_numbers<op>(static_cast<C>(static_cast<Scalar<X>>(x)),
                                    static_cast<C>(static_cast<Scalar<Y>>(y)));
    }
};

/// The lazy result of `op` on every element.
template <Op op, TensorLike Given>
auto apply_unary(Given&& x) {
    using X = std::remove_cvref_t<Given>;
    if constexpr (!TypedTensor<X>) {
        return any_unary(op, x.operand());
    } else if constexpr (BuiltinType<OperandElement<X>>) {
        using C = ComputedIn<op, OperandElement<X>>;
        using Handle = ResultHandle<C, X>;
        if constexpr (HasDims<Handle>)
            return result_of<Handle>(
                [](const Operand& operand) { return unary_operand(op, operand, kDType<C>); },
                operand_as<C>(x));
        else
            return Handle(
                unary_operand(op, taken_operand_as<C>(std::forward<Given>(x)), kDType<C>));
    } else if constexpr (KernelComplex<OperandElement<X>> && has_complex_unary(op)) {
        using T = OperandElement<X>;
        using R = std::conditional_t<op == Op::absolute, typename T::value_type, T>;
        return result_of<ResultHandle<R, X>>(
            [](const Operand& operand) { return complex_unary(op, operand); }, operand_as<T>(x));
    } else {
        return map_elements(FunctionName(name_of(op).data()), Generic<op>{}, x);
    }
}

/// A function object for a unary operation, which is also a stage. Of a number it gives a number,
/// so that one generic function can take tensors and the scalar symbols of a computation alike.
template <Op op>
struct UnaryFunction : ElementwiseFunction, PipelineStage {
    static_assert(traits_of(op).arity == 1);
    using ElementwiseFunction::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = KernelComplex<T>&& has_complex_unary(op) ? true
                                          : BuiltinType<Widened<T>>
                                              ? kSupports<op, ComputedIn<op, Widened<T>>>
                                              : std::invocable<Generic<op>, const T&>;

    template <array_like X>
        requires OperandOf<TensorOf<X>, op>
    auto operator()(X&& x) const { return apply_unary<op>(lasting_tensor(std::forward<X>(x))); }
    UnaryFunction operator()() const { return {}; }
    template <NumberLike X>
        requires kSupports<op, ComputedIn<op, Scalar<X>>>
    auto operator()(const X& x) const {
        using C = ComputedIn<op, Scalar<X>>;
        return apply_to_number<op>(static_cast<C>(static_cast<Scalar<X>>(x)));
    }
};

} // namespace purview
