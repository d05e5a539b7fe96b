#pragma once

#include <purview/functional/along/searchsorted.hpp>

#include <concepts>
#include <optional>
#include <type_traits>

namespace purview::inline v0_1 {

/// What `interp` gives outside of the given points.
struct InterpOptions {
    std::optional<double> left{};  ///< the value below the first point; by default the first
                                   ///< point's
    std::optional<double> right{}; ///< the value above the last point; by default the last point's
    std::optional<double>
        period{}; ///< after this distance points and places repeat, so that nothing is outside
};

/// The interpolated values at the places `x`, computed in float64, returned as `result` (float32 or
/// float64). Memory of the shape of `x`.
PURVIEW_EXPORT Operand interpolated(const Operand& x, const Operand& xp, const Operand& fp,
                                    DType result, const InterpOptions& options);

/// `interp(x, xp, fp)`: linear interpolation between the points `(xp[i], fp[i])` at the places `x`,
/// as in NumPy; `xp` ascends. With options: `interp(x, xp, fp, {.left = 0, .right = 0})`,
/// `interp(angles, xp, fp, {.period = 360})`; with a period, points may be in any order. Of several
/// points at one place, the last one determines the value there and above. NaN gives NaN.
///
/// In memory of the shape of `x`, under its dims; float32 if `x` and `fp` both are, else float64.
/// For a number, a number. Or a stage. Eager, O(elements log points), on several threads. Throws
/// `ShapeError` unless `xp` and `fp` have rank 1 and the same length, which is not 0; `Error` if
/// `xp` descends or the period is 0 or not finite; `DtypeError`.
struct InterpFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <looked_up X, plain_number_array P, plain_number_array F>
    auto operator()(const X& x, const P& xp, const F& fp, const InterpOptions& options = {}) const {
        const auto& points = tensor_for_call(xp);
        const auto& values = tensor_for_call(fp);
        const auto at = [&](const Operand& places, DType result) {
            return interpolated(places, points.operand(), values.operand(), result, options);
        };
        if constexpr (NumberLike<X>) {
            const auto place = static_cast<double>(static_cast<Scalar<X>>(x));
            return Tensor<double>(at(constant_operand<double>(place), float64)).item();
        } else if constexpr (std::is_void_v<ElementOrVoid<X>> || std::is_void_v<ElementOrVoid<F>>) {
            const auto& places = tensor_for_call(x);
            const bool narrow = places.dtype() == float32 && values.dtype() == float32;
            return AnyTensor(at(operand_for_call(places), narrow ? float32 : float64));
        } else {
            constexpr bool kNarrow =
                std::same_as<ElementOrVoid<X>, float> && std::same_as<ElementOrVoid<F>, float>;
            using R = std::conditional_t<kNarrow, float, double>;
            return look_up<R>(
                x, [&](const WeakOperand& places) { return at(places.operand, kDType<R>); });
        }
    }
    template <plain_number_array P, plain_number_array F>
    auto operator()(P&& xp, F&& fp, const InterpOptions& options = {}) const {
        return make_stage(*this, kept_argument(std::forward<P>(xp)),
                          kept_argument(std::forward<F>(fp)), options);
    }
};
inline constexpr InterpFunction interp;

} // namespace purview
