#pragma once

#include <purview/functional/along/searchsorted.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <concepts>
#include <optional>
#include <type_traits>

namespace purview {

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
struct InterpFunction {
    using Options = InterpOptions;
    static constexpr std::size_t kBeforeOptions = 3;

    template <SearchedValues X, NumberTensor P, NumberTensor F>
    auto operator()(const X& x, const P& xp, const F& fp, const InterpOptions& options = {}) const {
        if constexpr (TypedTensor<X> && TypedTensor<F>) {
            using R = std::conditional_t<std::same_as<OperandElement<X>, float> &&
                                             std::same_as<OperandElement<F>, float>,
                                         float, double>;
            return in_shape_of<R>(x, [&](const Operand& places) {
                return interpolated(places, xp.operand(), fp.operand(), kDType<R>, options);
            });
        } else {
            static_assert(!HasDims<X>, "interp: the values fp are of a type known to the compiler");
            const bool narrow = x.dtype() == float32 && fp.dtype() == float32;
            return AnyTensor(interpolated(x.operand(), xp.operand(), fp.operand(),
                                          narrow ? float32 : float64, options));
        }
    }
    template <NumberLike X, NumberTensor P, NumberTensor F>
    double operator()(const X& x, const P& xp, const F& fp,
                      const InterpOptions& options = {}) const {
        const auto place = static_cast<double>(static_cast<Scalar<X>>(x));
        return Tensor<double>(interpolated(constant_operand<double>(place), xp.operand(),
                                           fp.operand(), float64, options))
            .item();
    }
    template <NumberTensor P, NumberTensor F>
    auto operator()(const P& xp, const F& fp, const InterpOptions& options = {}) const {
        return make_stage(*this, xp, fp, options);
    }
};
inline constexpr AcceptingArrays<InterpFunction> interp;

} // namespace purview
