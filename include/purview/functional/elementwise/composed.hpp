#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// What a composed operation of one operand computes in, and what it gives.
enum class ComposedFamily : std::uint8_t {
    of_floats,  ///< other numbers are converted to float64 first
    of_numbers, ///< a number of the same type
    predicate   ///< a bool
};

// Operations of one operand that are composed of other operations, and as fast as a kernel of
// their own would be.
// clang-format off
#define PURVIEW_EACH_COMPOSED(macro)                                                               \
    macro(reciprocal, of_floats) macro(to_degrees, of_floats) macro(to_radians, of_floats)         \
    macro(logistic, of_floats) macro(relu, of_numbers) macro(is_nan, predicate)                    \
    macro(is_infinite, predicate) macro(is_finite, predicate) macro(is_zero, predicate)            \
    macro(is_pos, predicate) macro(is_neg, predicate) macro(is_even, predicate)                    \
    macro(is_odd, predicate) macro(is_integral, predicate) macro(signbit, predicate)
#define PURVIEW_ENUMERATOR(NAME, FAMILY) NAME,
#define PURVIEW_LINE(NAME, FAMILY) {#NAME, ComposedFamily::FAMILY},
enum class Composed : std::uint8_t { PURVIEW_EACH_COMPOSED(PURVIEW_ENUMERATOR) };
struct ComposedTraits {
    const char* name;
    ComposedFamily family;
};
inline constexpr ComposedTraits kComposed[] = {PURVIEW_EACH_COMPOSED(PURVIEW_LINE)};
#undef PURVIEW_EACH_COMPOSED
#undef PURVIEW_ENUMERATOR
#undef PURVIEW_LINE
// clang-format on

constexpr const ComposedTraits& traits_of(Composed what) noexcept {
    return kComposed[static_cast<std::size_t>(what)];
}
constexpr bool is_of_floats(Composed what) noexcept {
    return traits_of(what).family == ComposedFamily::of_floats;
}
constexpr bool is_predicate(Composed what) noexcept {
    return traits_of(what).family == ComposedFamily::predicate;
}

/// Whether it is of complex numbers, too: of them it is true where it is for one part, `is_finite`
/// and `is_zero` where it is for both.
constexpr bool is_of_complex(Composed what) noexcept {
    return what == Composed::is_nan || what == Composed::is_infinite ||
           what == Composed::is_finite || what == Composed::is_zero || what == Composed::reciprocal;
}

/// Operations of two operands that are composed of others.
enum class ComposedOfTwo : std::uint8_t {
    bit_and_not,
    bit_set,
    bit_clear,
    bit_flip,
    bit_test,
    unsigned_shift_right,
    logaddexp,
    copysign,
    nextafter,
    floor_divide,
    mod,
    integer_pow
};
/// Whether it computes in floats: other numbers are converted to float64 first.
constexpr bool is_of_floats(ComposedOfTwo what) noexcept {
    return what == ComposedOfTwo::logaddexp || what == ComposedOfTwo::copysign ||
           what == ComposedOfTwo::nextafter;
}
/// Whether it is of integers and of floats.
constexpr bool is_of_numbers(ComposedOfTwo what) noexcept {
    return what == ComposedOfTwo::floor_divide || what == ComposedOfTwo::mod;
}

/// `what` of an operand that has the type that `what` computes in. Lazy.
PURVIEW_EXPORT Operand composed_operand(Composed what, const Operand& x);
PURVIEW_EXPORT Operand composed_operand(ComposedOfTwo what, const Operand& x, const Operand& y,
                                        DType compute);
/// `what` of operands whose types are known at run time. Throw `DtypeError`, `ShapeError`,
/// `CastError`.
PURVIEW_EXPORT AnyTensor any_composed(Composed what, const Operand& x);
PURVIEW_EXPORT AnyTensor any_composed(ComposedOfTwo what, WeakOperand x, WeakOperand y);
/// `what`, which is one of floats, of a number.
PURVIEW_EXPORT float composed_of(Composed what, float x) noexcept;
PURVIEW_EXPORT double composed_of(Composed what, double x) noexcept;
/// `copysign`, `nextafter`, `floor_divide` and `mod` of numbers.
PURVIEW_EXPORT float composed_of(ComposedOfTwo what, float x, float y) noexcept;
PURVIEW_EXPORT double composed_of(ComposedOfTwo what, double x, double y) noexcept;

/// The type that elements of type T are converted to for `what`, and the type of the result.
template <Composed what, typename T>
using ComposedIn =
    std::conditional_t<is_of_floats(what) && std::is_arithmetic_v<T> && !std::floating_point<T>,
                       double, T>;
template <Composed what, typename T>
using ComposedResult = std::conditional_t<is_predicate(what), bool, ComposedIn<what, T>>;

template <Composed what, typename T>
auto composed_number(T x) {
    if constexpr (is_of_floats(what))
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
    else if constexpr (what == Composed::signbit)
        return std::floating_point<T> ? composed_of(Composed::signbit, static_cast<double>(x)) != 0
                                      : x < T{};
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

/// A function object for a composed operation of one tensor, which is also a stage; of a number it
/// gives a number.
template <Composed what>
struct OfComposed {
    template <typename T>
    static constexpr bool
        kIsDefinedFor = (BuiltinType<T> && !std::is_same_v<T, bool>) || std::is_void_v<T> ||
                        (KernelComplex<T> && is_of_complex(what));

    template <typename X>
    static auto of(const X& x) {
        if constexpr (!TypedTensor<X>) {
            return any_composed(what, x.operand());
        } else {
            return result_from<ComposedResult<what, OperandElement<X>>>(
                [](const Operand& operand) { return composed_operand(what, operand); }, x);
        }
    }
};
template <Composed what>
struct ComposedFunction : ElementsFunction<OfComposed<what>> {
    using ElementsFunction<OfComposed<what>>::operator();

    template <NumberLike X>
        requires(!std::same_as<Scalar<X>, bool>)
    auto operator()(const X& x) const { return composed_number<what>(static_cast<Scalar<X>>(x)); }
};

/// The type that a composed operation of two elements computes in: floats for `logaddexp`, integers
/// for operations on bits; `bit_and_not` is also of bools.
template <ComposedOfTwo what, typename C>
using ComposedOfTwoIn = std::conditional_t<is_of_floats(what), ComputedIn<Op::exp, C>, C>;
template <ComposedOfTwo what, typename C>
inline constexpr bool
    kIsComposedOf = is_of_floats(what) || (is_of_numbers(what) && std::is_floating_point_v<C>)
                        ? std::is_floating_point_v<ComposedOfTwoIn<what, C>>
                        : std::is_integral_v<C> &&
                              (!std::is_same_v<C, bool> || what == ComposedOfTwo::bit_and_not);

template <ComposedOfTwo what, typename X, typename Y>
consteval bool has_composed() {
    if constexpr (!TypedOperand<X> || !TypedOperand<Y>)
        return true;
    else if constexpr (!BuiltinOperands<X, Y>)
        return false;
    else
        return kIsComposedOf<what, Computed<X, Y>>;
}
template <ComposedOfTwo what, typename X, typename Y>
concept HasComposed = has_composed<what, TensorOf<X>, TensorOf<Y>>();

/// A function object for a composed operation of two tensors, which is also a stage of its second
/// operand.
template <ComposedOfTwo what>
struct ComposedFunctionOfTwo : SecondOperandAsStage<ComposedFunctionOfTwo<what>> {
    using SecondOperandAsStage<ComposedFunctionOfTwo>::operator();

    template <typename X, typename Y>
        requires(ElementOperands<X, Y>&& HasComposed<what, X, Y>)
    auto operator()(X&& x, Y&& y) const {
        return composed(lasting_tensor(std::forward<X>(x)), lasting_tensor(std::forward<Y>(y)));
    }
    template <NumberLike X, NumberLike Y>
        requires kIsComposedOf<what, std::common_type_t<Scalar<X>, Scalar<Y>>>
    auto operator()(const X& x, const Y& y) const {
        using C = ComposedOfTwoIn<what, Canonical<std::common_type_t<Scalar<X>, Scalar<Y>>>>;
        const auto a = static_cast<C>(static_cast<Scalar<X>>(x));
        const auto b = static_cast<C>(static_cast<Scalar<Y>>(y));
        if constexpr (what == ComposedOfTwo::logaddexp) {
            const C apart = a == b ? C{} : a < b ? a - b : b - a; // not above 0
            return (a < b ? b : a) + function_of(Op::log1p, function_of(Op::exp, apart));
        } else if constexpr (std::floating_point<C>) {
            return composed_of(what, a, b);
        } else if constexpr (what == ComposedOfTwo::floor_divide) {
            return floor_quotient_of(a, b);
        } else if constexpr (what == ComposedOfTwo::mod) {
            return floor_remainder_of(a, b);
        } else if constexpr (what == ComposedOfTwo::integer_pow) {
            return integer_power_of(a, b);
        } else if constexpr (what == ComposedOfTwo::bit_and_not) {
            return static_cast<C>(a & (static_cast<C>(-1) ^ b)); // for bool, static_cast<C>(-1) is
                                                                 // true
        } else {
            return of_bit(a, b, shifted<Op::shift_left>(C{1}, b));
        }
    }

private:
    template <typename X, typename Y>
    static auto composed(const X& x, const Y& y) {
        if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
            return any_composed(what, weak_operand(x), weak_operand(y));
        } else {
            using C = ComposedOfTwoIn<what, Computed<X, Y>>;
            using R = std::conditional_t<what == ComposedOfTwo::bit_test, bool, C>;
            return result_of<ResultHandle<R, X, Y>>(
                [](const Operand& a, const Operand& b) {
                    return composed_operand(what, a, b, kDType<C>);
                },
                operand_as<C>(x), operand_as<C>(y));
        }
    }
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
