#pragma once

#include <purview/expression/derivatives.hpp>
#include <purview/functional/applied/computation.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

// The functions of operands: what those of handles below do. All throw `DtypeError` for what is not
// of floats (derivatives of complex numbers are refused by name), `ShapeError` naming shapes that do
// not fit, and `SymbolError` for an x that is a view of a symbol, and for functions of the user's
// that have no derivative and that no `stop_gradient` lies above.
PURVIEW_EXPORT std::vector<Operand> gradient_operands(const Operand& y, std::span<const Operand> x);
PURVIEW_EXPORT std::vector<Operand> vector_jacobian_operands(const Operand& y, const Operand& v,
                                                             std::span<const Operand> x);
/// `without_derivative`, of complex numbers too.
PURVIEW_EXPORT Operand value_operand(const Operand& x);
PURVIEW_EXPORT Operand jacobian_vector_operand(const Operand& y, const Operand& x,
                                               const Operand& v);
PURVIEW_EXPORT Operand jacobian_operand(const Operand& y, const Operand& x);
PURVIEW_EXPORT Operand hessian_operand(const Operand& y, const Operand& x);
PURVIEW_EXPORT Operand hessian_vector_operand(const Operand& y, const Operand& x, const Operand& v);

/// What derivatives are taken of: symbols, and what dims leave of them.
template <typename Y>
concept TracedLike = SymbolLike<Y> ||(HasDims<Y>&& TypedTensor<Y>);
/// The handle of a derivative by X: of its kind.
template <SymbolLike X>
struct DerivativeHandle {
    using type = AnySymbol;
};
template <SymbolLike X>
    requires TypedTensor<X>
struct DerivativeHandle<X> {
    using type = typename X::HandleKind::template Handle<Widened<typename X::value_type>>;
};
template <typename X>
using DerivativeBy = typename DerivativeHandle<std::remove_cvref_t<X>>::type;

/// `results` as handles of derivatives by each of X: one itself, several as a tuple.
template <typename... X>
auto derivatives_by(std::vector<Operand> results) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        if constexpr (sizeof...(X) == 1)
            return (DerivativeBy<X>(std::move(results[0])), ...);
        else
            return std::tuple(DerivativeBy<X>(std::move(results[I]))...);
    }
    (std::index_sequence_for<X...>{});
}
template <typename S>
std::vector<Operand> operands_of_symbols(const std::vector<S>& symbols) {
    std::vector<Operand> operands;
    for (const S& symbol : symbols) operands.push_back(symbol.operand());
    return operands;
}
template <typename S>
std::vector<DerivativeBy<S>> derivatives_of_list(std::vector<Operand> results) {
    std::vector<DerivativeBy<S>> handles;
    for (Operand& result : results) handles.emplace_back(std::move(result));
    return handles;
}

/// In a traced function, the derivatives of `y`, a float of rank 0, by symbols: arguments, variables
/// and persistent symbols, and whatever was computed on the way to y, but no views of them. One symbol
/// of the shape and type of x, a tuple for several, a vector for a vector; float32 for 16-bit floats;
/// zeros where y does not depend on x. They are expressions like any others, which can be differentiated once more. Reverse
/// mode: O(nodes below y) to make, some two or three times the work of y to compute. Where a rule
/// has kinks and ends, see docs/gradients.md.
template <TracedLike Y, SymbolLike... X>
    requires(sizeof...(X) > 0)
auto gradient(const Y& y, const X&... x) {
    const std::array<Operand, sizeof...(X)> by{x.operand()...};
    return derivatives_by<X...>(gradient_operands(y.operand(), by));
}
template <TracedLike Y, SymbolLike S>
std::vector<DerivativeBy<S>> gradient(const Y& y, const std::vector<S>& x) {
    return derivatives_of_list<S>(gradient_operands(y.operand(), operands_of_symbols(x)));
}

/// The derivatives by x of the sum of `v * y`, where v is a symbol or tensor of the type and shape
/// of y. As `gradient`.
template <TracedLike Y, TensorLike V, SymbolLike X>
auto vector_jacobian_product(const Y& y, const V& v, const X& x) {
    return derivatives_by<X>(
        vector_jacobian_operands(y.operand(), v.operand(), std::array{x.operand()}));
}

/// The derivative of y where x moves along `v`, which is of the type and shape of x: of the shape of
/// y. Forward mode: some two times the work of y.
template <TracedLike Y, SymbolLike X, TensorLike V>
auto jacobian_vector_product(const Y& y, const X& x, const V& v) {
    using Handle = std::conditional_t<SymbolLike<Y>, Y, Symbol<typename Y::value_type>>;
    return DerivativeBy<Handle>(jacobian_vector_operand(y.operand(), x.operand(), v.operand()));
}

/// The derivatives of each element of y by each of x, of the shape of y and then that of x. One pass
/// for all elements of the smaller of the two.
template <TracedLike Y, SymbolLike X>
auto jacobian(const Y& y, const X& x) {
    using Handle = typename SymbolKind::Handle<typename DerivativeBy<X>::value_type>;
    return Handle(jacobian_operand(y.operand(), x.operand()));
}

/// The second derivatives of y, a float of rank 0, of the shape of x twice.
template <TracedLike Y, SymbolLike X>
auto hessian(const Y& y, const X& x) {
    using Handle = typename SymbolKind::Handle<typename DerivativeBy<X>::value_type>;
    return Handle(hessian_operand(y.operand(), x.operand()));
}

/// The Hessian times `v`, which is of the shape of x: of that shape, in some four times the work of y.
template <TracedLike Y, SymbolLike X, TensorLike V>
auto hessian_vector_product(const Y& y, const X& x, const V& v) {
    return DerivativeBy<X>(hessian_vector_operand(y.operand(), x.operand(), v.operand()));
}

/// The value of x, with derivative 0.
template <SymbolLike X>
X stop_gradient(const X& x) {
    return X(value_operand(x.operand()));
}

/// The value and derivatives of a function that `emap` is given.
template <typename F, typename... D>
struct FunctionWithDerivatives {
    F function;
    std::tuple<D...> derivatives;

    template <typename... X>
        requires std::invocable<const F&, const X&...>
    auto operator()(const X&... x) const { return function(x...); }
};
/// A function for `emap` with its derivative by each of its operands, functions of the same operands
/// which may have derivatives of their own: `emap(with_derivative(f, df), x)`.
template <typename F, typename... D>
    requires(sizeof...(D) > 0)
FunctionWithDerivatives<F, D...> with_derivative(F f, D... df) {
    return {std::move(f), {std::move(df)...}};
}

/// A function of the same arguments that returns the derivatives of the first output, a number, by
/// the float arguments, in order; behind all outputs, `with_values`. Throws as `gradient` does, at
/// once where all extents are given.
PURVIEW_EXPORT std::shared_ptr<const TracedFunction>
gradient_of(std::shared_ptr<const TracedFunction> function, bool with_values);

/// What a call of a gradient returns for an argument: nothing if it is not of floats.
template <typename Argument>
using DerivativesByArgument =
    std::conditional_t<std::is_integral_v<typename Argument::value_type>, std::tuple<>,
                       std::tuple<typename TracedOutput<DerivativeBy<Argument>>::Value>>;
template <typename Tuple>
struct OneItself {
    using type = Tuple;
};
template <typename One>
struct OneItself<std::tuple<One>> {
    using type = One;
};
template <typename R>
struct AsTuple {
    using type = std::tuple<R>;
};
template <SeveralOutputs R>
struct AsTuple<R> {
    using type = decltype(std::tuple_cat(std::declval<R>()));
};

template <typename R, typename... Argument>
auto gradient_of_computation(const std::shared_ptr<const TracedFunction>& c) {
    using Values = decltype(std::tuple_cat(std::declval<DerivativesByArgument<Argument>>()...));
    return ComputationOf<typename OneItself<Values>::type, Argument...>(gradient_of(c, false));
}
template <typename R, typename... Argument>
auto value_and_gradient_of(const std::shared_ptr<const TracedFunction>& c) {
    using Values = decltype(std::tuple_cat(std::declval<typename AsTuple<R>::type>(),
                                           std::declval<DerivativesByArgument<Argument>>()...));
    return ComputationOf<Values, Argument...>(gradient_of(c, true));
}

/// A computation of the same arguments that returns the derivatives of c, a number or the first of
/// its outputs, by its float arguments, in order: one itself, several as a tuple; numbers for
/// `spec<T>()`. Throws as `gradient` of symbols does, at once where all extents are given.
template <typename R, typename... T>
auto gradient(const Computation<R(T...)>& c) {
    return gradient_of_computation<R, Symbol<T>...>(c.function());
}
template <typename R, typename... Argument>
auto gradient(const ComputationOfNumbers<R, Argument...>& c) {
    return gradient_of_computation<R, Argument...>(c.function());
}
/// The outputs of c, a list as one, then the derivatives of the first by the float arguments: a tuple.
template <typename R, typename... T>
auto value_and_gradient(const Computation<R(T...)>& c) {
    return value_and_gradient_of<R, Symbol<T>...>(c.function());
}
template <typename R, typename... Argument>
auto value_and_gradient(const ComputationOfNumbers<R, Argument...>& c) {
    return value_and_gradient_of<R, Argument...>(c.function());
}

/// Compares the derivatives of `c`, those of `gradient(c)`, with central differences of its values
/// for each element of each float argument. Throws `ArithmeticError` naming the argument, the element
/// and both numbers where they differ by more than such differences may be off, which is estimated from
/// two widths; narrower ones are tried where these disagree, as near poles. A derivative that is not
/// finite is wrong where differences are. For tests: calls c four times for each element, up to 28.
PURVIEW_EXPORT void check_gradient_of(const std::shared_ptr<const TracedFunction>& function,
                                      Bindings inputs);
template <typename R, typename... T, typename... X>
    requires(sizeof...(X) == sizeof...(T))
void check_gradient(const Computation<R(T...)>& c, const X&... x) {
    check_gradient_of(c.function(),
                      std::array<const Operand*, sizeof...(X)>{InputOperand<T, X>(x).get()...});
}

} // namespace purview
