#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

#include <cstdint>

namespace purview {

/// Operations of one operand that are composed of other operations, and as fast as a kernel of
/// their own would be.
enum class Composed : std::uint8_t {
    reciprocal,
    to_degrees,
    to_radians,
    logistic,
    relu,
    is_nan,
    is_infinite,
    is_finite,
    is_zero,
    is_pos,
    is_neg,
    is_even,
    is_odd,
    is_integral
};
/// Such operations of two operands.
enum class ComposedOfTwo : std::uint8_t {
    bit_and_not,
    bit_set,
    bit_clear,
    bit_flip,
    bit_test,
    unsigned_shift_right,
    logaddexp
};

constexpr bool is_predicate(Composed what) noexcept { return what >= Composed::is_nan; }

/// `what` of an operand that has the type that `what` computes in. Lazy.
PURVIEW_EXPORT Operand composed_operand(Composed what, const Operand& x);
PURVIEW_EXPORT Operand composed_operand(ComposedOfTwo what, const Operand& x, const Operand& y,
                                        DType compute);
/// The same for operands whose types are known at run time. Throw `DtypeError`, `ShapeError`,
/// `CastError`.
PURVIEW_EXPORT AnyTensor any_composed(Composed what, const Operand& x);
PURVIEW_EXPORT AnyTensor any_composed(ComposedOfTwo what, WeakOperand x, WeakOperand y);
/// The same for a number; `what` is one of `reciprocal` to `logistic`.
PURVIEW_EXPORT float composed_of(Composed what, float x) noexcept;
PURVIEW_EXPORT double composed_of(Composed what, double x) noexcept;

/// The type that elements of type T are converted to for `what`, and the type of the result.
template <Composed what, typename T>
using ComposedIn =
    std::conditional_t<what <= Composed::logistic && !std::floating_point<T>, double, T>;
template <Composed what, typename T>
using ComposedResult = std::conditional_t<is_predicate(what), bool, ComposedIn<what, T>>;

template <Composed what, typename T>
auto composed_number(T x) {
    if constexpr (what <= Composed::logistic)
        return composed_of(what, static_cast<ComposedIn<what, T>>(x));
    else if constexpr (what == Composed::relu)
        return x < T{} ? T{} : x;
    else if constexpr (what == Composed::is_nan)
        return x != x;
    else if constexpr (what == Composed::is_finite)
        return x - x == T{};
    else if constexpr (what == Composed::is_infinite)
        return x == x && x - x != T{};
    else if constexpr (what == Composed::is_zero)
        return x == T{};
    else if constexpr (what == Composed::is_pos)
        return x > T{};
    else if constexpr (what == Composed::is_neg)
        return x < T{};
    else if constexpr (std::floating_point<T>)
        return what == Composed::is_integral ? x - function_of(Op::trunc, x) == 0
               : what == Composed::is_even   ? x - 2 * function_of(Op::trunc, x / 2) == 0
                                             : x - 2 * function_of(Op::trunc, x / 2) == 1 ||
                                                 x - 2 * function_of(Op::trunc, x / 2) == -1;
    else if constexpr (what == Composed::is_integral)
        return true;
    else
        return (x % 2 == 0) == (what == Composed::is_even);
}

/// A tensor of numbers, as far as its type is known.
template <typename X>
concept TensorOfNumbers = !TypedTensor<X> || (BuiltinType<typename X::value_type> &&
                                              !std::is_same_v<typename X::value_type, bool>);

/// A function object for a composed operation of one tensor, which is also a stage; of a number it
/// gives a number.
template <Composed what>
struct ComposedFunction : ElementwiseFunction, PipelineStage {
    using ElementwiseFunction::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = BuiltinType<T> && !std::is_same_v<T, bool>;

    template <TensorLike X>
        requires TensorOfNumbers<X>
    auto operator()(const X& x) const {
        if constexpr (!TypedTensor<X>) {
            return any_composed(what, x.operand());
        } else {
            using T = typename X::value_type;
            return result_of<ResultHandle<ComposedResult<what, T>, X>>(
                [](const Operand& operand) { return composed_operand(what, operand); },
                operand_as<T>(x));
        }
    }
    template <ForeignArray X>
        requires(kIsDefinedFor<ForeignElement<X>>)
    auto operator()(X&& x) const { return (*this)(as_tensor(std::forward<X>(x))); }
    ComposedFunction operator()() const { return {}; }
    template <NumberLike X>
        requires(!std::same_as<Scalar<X>, bool>)
    auto operator()(const X& x) const { return composed_number<what>(static_cast<Scalar<X>>(x)); }
};

/// The lazy result, of elements of type R, of a composed operation of two operands, computed in C.
template <ComposedOfTwo what, BuiltinType C, BuiltinType R, typename X, typename Y>
auto apply_composed(const X& x, const Y& y) {
    return result_of<ResultHandle<R, X, Y>>(
        [](const Operand& a, const Operand& b) { return composed_operand(what, a, b, kDType<C>); },
        operand_as<C>(x), operand_as<C>(y));
}

/// Operands of integers, as far as their types are known; `bit_and_not` is also of bools.
template <ComposedOfTwo what, typename X, typename Y>
consteval bool has_bit_operation() {
    if constexpr (!TypedOperand<X> || !TypedOperand<Y>)
        return true;
    else
        return std::is_integral_v<Computed<X, Y>> &&
               (!std::is_same_v<Computed<X, Y>, bool> || what == ComposedOfTwo::bit_and_not);
}
template <ComposedOfTwo what, typename X, typename Y>
concept HasBitOperation = has_bit_operation<what, X, Y>();

/// A function object for a composed operation of two tensors of integers, which is also a stage of
/// its second operand.
template <ComposedOfTwo what>
struct ComposedBitFunction : SecondOperandAsStage<ComposedBitFunction<what>> {
    using SecondOperandAsStage<ComposedBitFunction>::operator();

    template <typename X, typename Y>
        requires(TensorOperands<X, Y>&& HasBitOperation<what, X, Y>)
    auto operator()(const X& x, const Y& y) const {
        if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
            return any_composed(what, weak_operand(x), weak_operand(y));
        } else {
            using C = Computed<X, Y>;
            using R = std::conditional_t<what == ComposedOfTwo::bit_test, bool, C>;
            return apply_composed<what, C, R>(x, y);
        }
    }
    template <typename X, typename Y>
        requires(OperandsFromArrays<X, Y>&&
                     HasBitOperation<what, AsTensorArgument<std::remove_cvref_t<X>>,
                                     AsTensorArgument<std::remove_cvref_t<Y>>>)
    auto operator()(X&& x, Y&& y) const {
        return (*this)(tensor_argument<false>(std::forward<X>(x)),
                       tensor_argument<false>(std::forward<Y>(y)));
    }
    template <NumberLike X, NumberLike Y>
        requires std::integral<std::common_type_t<Scalar<X>, Scalar<Y>>>
    auto operator()(const X& x, const Y& y) const {
        using C = Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>;
        const auto a = static_cast<C>(static_cast<Scalar<X>>(x));
        const auto b = static_cast<C>(static_cast<Scalar<Y>>(y));
        if constexpr (what == ComposedOfTwo::bit_and_not)
            return static_cast<C>(a & (static_cast<C>(-1) ^ b)); // for bool, static_cast<C>(-1) is
                                                                 // true
        else
            return of_bit(a, b, shifted<Op::shift_left>(C{1}, b));
    }

private:
    template <typename C>
    static auto of_bit(C a, C b, C bit) {
        if constexpr (what == ComposedOfTwo::bit_set)
            return static_cast<C>(a | bit);
        else if constexpr (what == ComposedOfTwo::bit_clear)
            return static_cast<C>(a & ~bit);
        else if constexpr (what == ComposedOfTwo::bit_flip)
            return static_cast<C>(a ^ bit);
        else if constexpr (what == ComposedOfTwo::bit_test)
            return (a & bit) != 0;
        else
            return static_cast<C>(shifted<Op::shift_right>(
                static_cast<std::make_unsigned_t<C>>(a), static_cast<std::make_unsigned_t<C>>(b)));
    }
};

} // namespace purview
