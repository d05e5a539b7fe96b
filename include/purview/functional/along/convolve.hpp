#pragma once

#include <purview/functional/along/rolling_window.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <cstdint>

namespace purview {

/// Which elements the convolution of n elements with k taps has.
enum class ConvolveMode : std::uint8_t {
    full, ///< n + k - 1: all positions where the two overlap
    same, ///< n: the elements of `full` from element (k - 1) / 2 on, as in NumPy
    valid ///< n - k + 1: those that read no element beyond the ends
};

struct ConvolveOptions {
    ConvolveMode mode = ConvolveMode::full;
    /// What is read beyond the ends: zeros, or elements as in `pad`'s modes.
    PadMode edge = PadMode::constant;
};

/// The correlation of lanes with taps `[k]` in memory, all of one type: float32, float64 or a
/// 64-bit integer. Throws `ShapeError` naming `what` for no taps, and in mode `valid` for more taps
/// than elements.
PURVIEW_EXPORT Operand correlated(const char* what, const AxisParts& parts, const Operand& taps,
                                  ConvolveOptions options);
/// The taps in memory, converted to `dtype`, and reversed if `reversed`. Throws `ShapeError` unless
/// they have rank 1.
PURVIEW_EXPORT Operand convolution_taps(const char* what, const Operand& taps, DType dtype,
                                        bool reversed);
/// Throws `ShapeError` for a mode other than `same` along a Dim, whose size cannot change.
PURVIEW_EXPORT void require_same_size(const char* what, const ChosenAxis& axis, ConvolveMode mode);

/// The type in which elements and taps are multiplied and added; `void` if it is known at run time
/// only.
template <typename X, typename K>
struct ConvolvedElement {
    using type = void;
};
template <TypedTensor X, TypedTensor K>
struct ConvolvedElement<X, K> {
    using P = Promoted<typename X::value_type, typename K::value_type>;
    static_assert(BuiltinOperands<X, K>, "convolve1d and correlate1d are defined for numbers");
    static_assert(
        !std::is_void_v<P>,
        "these element types have no common type (a signed integer with uint64): cast one of them");
    using type = Accumulated<P>;
};
template <typename X, typename K>
using Convolved = typename ConvolvedElement<X, K>::type;

template <bool reversed>
struct ConvolveFunction {
    using Options = ConvolveOptions;
    static constexpr std::size_t kBeforeOptions = 2;
    static constexpr const char* kName = reversed ? "convolve1d" : "correlate1d";

    template <TensorLike X, TensorLike K>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, const K& taps, ConvolveOptions options = {}) const {
        return along(x, taps, {}, options);
    }
    template <TensorLike X, TensorLike K, OneAxisLike A = AxisOrDim>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, const K& taps, const A& axis, ConvolveOptions options = {}) const {
        return along(x, taps, AxisOrDim(axis), options);
    }

    template <TensorLike K>
    auto operator()(const K& taps, ConvolveOptions options = {}) const {
        return make_stage(*this, taps, options);
    }
    template <TensorLike K, OneAxisLike A = AxisOrDim>
    auto operator()(const K& taps, const A& axis, ConvolveOptions options = {}) const {
        return make_stage(*this, taps, axis, options);
    }

private:
    template <TensorLike X, TensorLike K>
    static auto along(const X& x, const K& given, const ChosenAxis& axis, ConvolveOptions options) {
        const auto& taps = plain_tensor(given);
        require_same_size(kName, axis, options.mode);
        return along_axis<Convolved<X, K>>(kName, x, axis, [&](const AxisParts& parts) {
            const DType common = promote(parts.operand.dtype(), taps.dtype(), kName);
            const DType result = reduced_dtype<FoldOperation<SumFold>>(kName, common);
            AxisParts typed = parts;
            typed.operand = cast_operand(parts.operand, result, Op::cast);
            return correlated(kName, typed,
                              convolution_taps(kName, taps.operand(), result, reversed), options);
        });
    }
};

/// `convolve1d(x, taps)`, `convolve1d(x, taps, axis, {ConvolveMode::same, PadMode::reflect})`, or,
/// without `x`, a stage: the convolution of the lanes along an axis or a Dim (by default the last
/// axis) with taps `[k]`: element i of `full` is the sum of taps(j) · x(i - j). Elements beyond the
/// ends are zeros, or as the options say. The result is in memory, of the promoted type; integers
/// in 64 bits, wrapping. Computed directly, O(size · k), in the order of the taps, with the same
/// result on every machine.
///
/// Eager. Throws `ShapeError` for taps that are empty or not of rank 1, for more taps than elements
/// in mode `valid`, and for a mode other than `same` along a Dim, whose size cannot change;
/// `IndexError`, `DimError`.
inline constexpr AcceptingArrays<ConvolveFunction<true>> convolve1d;
/// The same with the taps reversed: element i of `full` is the sum of taps(j) · x(i + j - k + 1).
inline constexpr AcceptingArrays<ConvolveFunction<false>> correlate1d;

struct GaussianOptions {
    double truncate = 4; ///< in standard deviations, where the window ends
    PadMode edge = PadMode::symmetric;
};

/// The normalised window, of shape `[2r + 1]` with r = truncate · sigma, rounded. Throws `Error`
/// unless sigma > 0.
PURVIEW_EXPORT MutableTensor<double> gaussian_window(double sigma, double truncate = 4);

/// `gaussian1d(x, sigma)`, `gaussian1d(x, sigma, axis)`, or a stage: smooths the lanes with a
/// Gaussian window whose standard deviation is `sigma` elements. As SciPy's `gaussian_filter1d`,
/// also at the edges. float32 stays, everything else is float64. Eager, O(size · sigma). Throws
/// `Error` unless sigma > 0 and finite, `IndexError`, `DimError`.
struct GaussianFunction {
    using Options = GaussianOptions;
    static constexpr std::size_t kBeforeOptions = 2;
    static constexpr const char* kName = "gaussian1d";

    template <TensorLike X>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, double sigma, GaussianOptions options = {}) const {
        return along(x, sigma, {}, options);
    }
    template <TensorLike X, AxisLike A>
        requires(!kDefersReductions<X>)
    auto operator()(const X& x, double sigma, const A& axis, GaussianOptions options = {}) const {
        return along(x, sigma, AxisOrDim(axis), options);
    }
    template <StageNumber<double> S>
    auto operator()(const S& sigma, GaussianOptions options = {}) const {
        return make_stage(*this, static_cast<double>(sigma), options);
    }
    template <StageNumber<double> S, AxisLike A>
    auto operator()(const S& sigma, const A& axis, GaussianOptions options = {}) const {
        return make_stage(*this, static_cast<double>(sigma), axis, options);
    }

private:
    template <TensorLike X>
    static auto along(const X& x, double sigma, const ChosenAxis& axis, GaussianOptions options) {
        const MutableTensor<double> window = gaussian_window(sigma, options.truncate);
        return along_axis<AveragedOf<X>>(kName, x, axis, [&](const AxisParts& parts) {
            const DType result = reduced_dtype<MeanOperation>(kName, parts.operand.dtype());
            AxisParts typed = parts;
            typed.operand = cast_operand(parts.operand, result, Op::cast);
            return correlated(kName, typed,
                              convolution_taps(kName, window.operand(), result, false),
                              {ConvolveMode::same, options.edge});
        });
    }
};
inline constexpr AcceptingArrays<GaussianFunction> gaussian1d;

} // namespace purview
