#pragma once

#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/maths.hpp>

namespace purview::inline v0_1 {

// Predicates on each element, for integers and floats: lazy tensors of bool; for numbers, bools.

/// Whether it is NaN; false for integers.
inline constexpr ComposedFunction<Composed::is_nan> is_nan;
/// Whether it is inf or -inf; false for integers and NaN.
inline constexpr ComposedFunction<Composed::is_infinite> is_infinite;
/// Whether it is neither infinite nor NaN.
inline constexpr ComposedFunction<Composed::is_finite> is_finite;
/// Whether it is 0 or -0.
inline constexpr ComposedFunction<Composed::is_zero> is_zero;
/// Whether it is greater than zero.
inline constexpr ComposedFunction<Composed::is_pos> is_pos;
/// Whether it is less than zero.
inline constexpr ComposedFunction<Composed::is_neg> is_neg;
/// Whether it is a multiple of 2. Numbers with a fraction, infinities and NaN are neither even nor
/// odd.
inline constexpr ComposedFunction<Composed::is_even> is_even;
inline constexpr ComposedFunction<Composed::is_odd> is_odd;
/// Whether it is finite and has no fraction.
inline constexpr ComposedFunction<Composed::is_integral> is_integral;

/// How much numbers may differ for `close_to`: |x - y| <= absolute + relative |y|.
struct Tolerance {
    double relative = 1e-5;
    double absolute = 1e-8;
    bool nan_equal = false; ///< whether NaN is close to NaN
};

PURVIEW_EXPORT Operand close_operand(const Operand& x, const Operand& y, DType compute,
                                     const Tolerance& tolerance);
/// Whether complex numbers are close, by their distance.
PURVIEW_EXPORT Operand close_complex(const Operand& x, const Operand& y, DType compute,
                                     const Tolerance& tolerance);
/// Whether two integers are close, exactly; those that are `wide` are the bits of an uint64.
PURVIEW_EXPORT bool close_integers(std::int64_t x, std::int64_t y, bool x_is_wide, bool y_is_wide,
                                   const Tolerance& tolerance);
PURVIEW_EXPORT AnyTensor any_close(WeakOperand x, WeakOperand y, const Tolerance& tolerance);

/// |x - y| of integers, in float64, rounded once.
PURVIEW_EXPORT Operand integer_differences(const Operand& x, const Operand& y);
/// x - y of numbers, in float64; of integers rounded once.
PURVIEW_EXPORT Operand any_differences(const Operand& x, const Operand& y);

/// `close_to(x, y)`, `close_to(x, y, {.relative = 1e-9})`: whether elements are close, as NumPy's
/// `isclose`; broadcasting, lazy. Integers are compared as float64, those of 64 bits by their exact
/// distance. Equal infinities are close; NaN is not close to anything, unless `nan_equal` is set.
struct CloseToFunction : ElementwiseFunction {
    using ElementwiseFunction::operator();

    template <typename X, typename Y>
        requires(ElementOperands<X, Y> && (HasComposed<ComposedOfTwo::logaddexp, X, Y> ||
                                           ComplexOperands<TensorOf<X>, TensorOf<Y>>))
    auto operator()(X&& x, Y&& y, const Tolerance& tolerance = {}) const {
        return close(lasting_tensor(std::forward<X>(x)), lasting_tensor(std::forward<Y>(y)),
                     tolerance);
    }
    template <typename Y>
        requires(array_like<Y> || NumberLike<Y>)
    auto operator()(Y&& y, const Tolerance& tolerance = {}) const {
        return make_stage(*this, kept_operand(std::forward<Y>(y)), tolerance);
    }
    template <NumberLike X, NumberLike Y>
    bool operator()(const X& x, const Y& y, const Tolerance& tolerance = {}) const {
        if constexpr (std::integral<Scalar<X>> && std::integral<Scalar<Y>>)
            return close_integers(static_cast<std::int64_t>(static_cast<Scalar<X>>(x)),
                                  static_cast<std::int64_t>(static_cast<Scalar<Y>>(y)),
                                  std::unsigned_integral<Scalar<X>>,
                                  std::unsigned_integral<Scalar<Y>>, tolerance);
        const auto a = static_cast<double>(static_cast<Scalar<X>>(x));
        const auto b = static_cast<double>(static_cast<Scalar<Y>>(y));
        const double size = b < 0 ? -b : b;
        const double apart = a < b ? b - a : a - b;
        return a == b || (tolerance.nan_equal && a != a && b != b) ||
               (size - size == 0 && apart <= tolerance.absolute + tolerance.relative * size);
    }

private:
    /// A number beside integers stays an integer.
    template <typename C, typename X, typename Y>
    using NumberBeside =
        std::conditional_t<std::integral<OperandElement<X>> && std::integral<OperandElement<Y>>,
                           Canonical<OperandElement<X>>, C>;

    template <typename X, typename Y>
    static auto close(const X& x, const Y& y, const Tolerance& tolerance) {
        if constexpr (!TypedOperand<X> || !TypedOperand<Y>) {
            return any_close(weak_operand(x), weak_operand(y), tolerance);
        } else if constexpr (ComplexOperands<X, Y>) {
            using C = typename ComplexType<X, Y>::type;
            return result_of<ResultHandle<bool, X, Y>>(
                [&](const Operand& a, const Operand& b) {
                    return close_complex(a, b, kDType<C>, tolerance);
                },
                operand_as<C>(x), operand_as<C>(y));
        } else {
            using C = ComputedIn<Op::exp, Computed<X, Y>>;
            return result_of<ResultHandle<bool, X, Y>>(
                [&](const Operand& a, const Operand& b) {
                    return close_operand(a, b, kDType<C>, tolerance);
                },
                operand_as<NumberBeside<C, X, Y>>(x), operand_as<NumberBeside<C, Y, X>>(y));
        }
    }
};
inline constexpr CloseToFunction close_to;
/// `isclose(x, y)`, `isclose(x, y, {.relative = 1e-9})`: NumPy's name for `close_to`.
inline constexpr CloseToFunction isclose;

} // namespace purview
