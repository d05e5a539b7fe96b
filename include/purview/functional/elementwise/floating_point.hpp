#pragma once

#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/generic_operations.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>

#include <cstdint>
#include <optional>

namespace purview::inline v0_1 {

// Floats as they are represented: neighbours, significands, and what is no finite number.
// Element-wise, lazy and exact.

/// The smallest float that is greater than x; for -inf the lowest finite float; inf stays. Integers
/// become float64.
inline constexpr UnaryFunction<Op::next_up> next_up;
/// The greatest float that is less than x; -inf stays.
inline constexpr UnaryFunction<Op::next_down> next_down;
/// The distance from |x| to the next greater float: positive, inf of infinities.
inline constexpr UnaryFunction<Op::ulp> ulp;
/// `nextafter(x, y)`, `x | nextafter(y)`: the float that follows x in the direction of y; y where
/// they are equal. NaN if either is. Broadcasting.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::nextafter> nextafter;

/// Whether the sign is set, of -0 and of NaN too; of integers whether they are negative.
inline constexpr ComposedFunction<Composed::signbit> signbit;
/// `copysign(x, y)`, `x | copysign(y)`: x with the sign of y, of zeros and NaN too, broadcasting.
/// Integers become float64.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::copysign> copysign;

/// The significand of a float64, as `get_significand`. Throws `ArithmeticError` for infinities and
/// NaN.
PURVIEW_EXPORT std::int64_t significand_of(double x);
/// The significands of the elements of an operand. Throws `DtypeError` for elements that are not
/// numbers.
PURVIEW_EXPORT Operand significand_operand(const Operand& x);

struct Significands {
    template <typename T>
    static constexpr bool kIsDefinedFor = BuiltinType<T> || std::is_void_v<T>;
    template <typename X>
    static auto of(const X& x) {
        if constexpr (!TypedTensor<X>)
            return AnyTensor(significand_operand(x.operand()));
        else
            return result_from<std::int64_t>(significand_operand, x);
    }
};
/// `get_significand(x)`, or a stage: the 53-bit significand of each element, converted to float64,
/// as an int64 without the sign: in [2^52, 2^53) for a normal number, and twice the stored bits for
/// a subnormal one; as in dtype-next. Lazy. For a number, a number. Throws `DtypeError`; reading
/// throws `ArithmeticError` for infinities and NaN.
struct GetSignificandFunction : ElementsFunction<Significands> {
    using ElementsFunction::operator();

    template <NumberLike X>
    std::int64_t operator()(const X& x) const {
        return significand_of(static_cast<double>(static_cast<Scalar<X>>(x)));
    }
};
inline constexpr GetSignificandFunction get_significand;

/// The replacements for NaN and infinities.
struct NanToNumOptions {
    double nan = 0;
    std::optional<double>
        positive_infinity{}; ///< by default the greatest finite number of the type
    std::optional<double> negative_infinity{}; ///< by default the least finite number of the type
};

/// `nan_to_num` of an operand, also of a type known at run time. Throws `DtypeError`.
PURVIEW_EXPORT Operand finite_operand(const Operand& x, const NanToNumOptions& options);

/// `nan_to_num(x)`, `nan_to_num(x, {.nan = 1})`, or a stage: replaces NaN by 0 and infinities by
/// the greatest and the least finite number of the type, or as the options say, as in NumPy.
/// Integers stay. Of the type of `x`. Lazy. Throws `DtypeError`.
struct NanToNumFunction : ElementwiseFunction, PipelineStage {
    using ElementwiseFunction::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = Significands::kIsDefinedFor<Widened<T>>;

    template <array_like X>
        requires(kIsDefinedFor<ElementOrVoid<TensorOf<X>>>)
    auto operator()(X&& x, const NanToNumOptions& options = {}) const {
        if constexpr (!TypedOperand<TensorOf<X>>)
            return AnyTensor(finite_operand(x.operand(), options));
        else
            return result_from<ElementBehind<X>>(
                [&](const Operand& operand) { return finite_operand(operand, options); },
                std::forward<X>(x));
    }
    auto operator()(const NanToNumOptions& options = {}) const {
        return make_stage(*this, options);
    }
};
inline constexpr NanToNumFunction nan_to_num;

} // namespace purview
