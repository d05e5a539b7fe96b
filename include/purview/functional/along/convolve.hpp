#pragma once

#include <purview/functional/along/searchsorted.hpp>
#include <purview/functional/assembly/pad.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

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

/// The convolution of the lanes of `parts` with taps, in `result`: float32, float64 or a 64-bit
/// integer; unless `reversed`, the correlation. Throws `ShapeError` naming `what` unless the taps
/// have rank 1, for no taps, and in mode `valid` for more taps than elements.
PURVIEW_EXPORT Operand convolved(const char* what, const AxisParts& parts, const Operand& taps,
                                 DType result, bool reversed, ConvolveOptions options);
/// How parts that have no room in memory are cut for it.
PURVIEW_EXPORT Segments convolved_segments(const Operand& taps, ConvolveOptions options);
/// The type in which elements and taps are multiplied and added. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT DType convolved_dtype(const char* what, DType elements, DType taps);
/// Throws `ShapeError` for a mode other than `same` along a Dim, whose size cannot change.
PURVIEW_EXPORT void require_same_size(const char* what, const ChosenAxis& axis, ConvolveMode mode);

/// The type in which elements of type `T` and taps of type `K` are multiplied and added; `void` if
/// it is known at run time only.
template <typename T, typename K>
struct ConvolvedElement {
    using type = void;
};
template <BuiltinType T, BuiltinType K>
struct ConvolvedElement<T, K> {
    using type = Accumulated<Promoted<T, K>>;
};

/// Taps that elements of `X` can be multiplied with.
template <typename K, typename X>
concept taps_for = plain_number_array<K> && comparable_with<X, K>;

template <bool reversed>
struct ConvolveFunction : RefusedAlong {
    using RefusedAlong::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <lanes_of<ConvolveFunction> X, taps_for<X> K>
    auto operator()(const X& x, const K& taps, ConvolveOptions options = {}) const {
        return (*this)(x, taps, ChosenAxis(), options);
    }
    template <lanes_of<ConvolveFunction> X, taps_for<X> K>
    auto operator()(const X& x, const K& given, const ChosenAxis& axis,
                    ConvolveOptions options = {}) const {
        using R = typename ConvolvedElement<ElementOrVoid<X>, ElementOrVoid<K>>::type;
        const Operand taps = operand_for_call(given);
        require_same_size(kName, axis, options.mode);
        return along_axis<R>(
            kName, x, axis,
            [&](const AxisParts& parts) {
                return convolved(kName, parts, taps,
                                 convolved_dtype(kName, parts.operand.dtype(), taps.dtype()),
                                 reversed, options);
            },
            convolved_segments(taps, options));
    }
    template <plain_number_array K>
    auto operator()(K&& taps, ConvolveOptions options = {}) const {
        return make_stage(*this, kept_argument(std::forward<K>(taps)), options);
    }
    template <plain_number_array K>
    auto operator()(K&& taps, const AxisOrDim& axis, ConvolveOptions options = {}) const {
        return make_stage(*this, kept_argument(std::forward<K>(taps)), axis, options);
    }

private:
    static constexpr const char* kName = reversed ? "convolve1d" : "correlate1d";
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
inline constexpr ConvolveFunction<true> convolve1d;
/// `correlate1d(x, taps)`, or, without `x`, a stage: the convolution with the taps reversed:
/// element i of `full` is the sum of taps(j) · x(i + j - k + 1). Otherwise as `convolve1d`.
inline constexpr ConvolveFunction<false> correlate1d;

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
struct GaussianFunction : RefusedAlong {
    using RefusedAlong::operator();
    template <typename T>
    static constexpr bool kIsDefinedFor = kIsNumberOrVoid<T>;

    template <lanes_of<GaussianFunction> X>
    auto operator()(const X& x, double sigma, GaussianOptions options = {}) const {
        return (*this)(x, sigma, ChosenAxis(), options);
    }
    template <lanes_of<GaussianFunction> X>
    auto operator()(const X& x, double sigma, const ChosenAxis& axis,
                    GaussianOptions options = {}) const {
        constexpr const char* kName = "gaussian1d";
        const MutableTensor<double> window = gaussian_window(sigma, options.truncate);
        const ConvolveOptions same{ConvolveMode::same, options.edge};
        return along_axis<AveragedOf<X>>(
            kName, x, axis,
            [&](const AxisParts& parts) {
                return convolved(kName, parts, window.operand(),
                                 reduced_dtype<MeanOperation>(kName, parts.operand.dtype()), false,
                                 same);
            },
            convolved_segments(window.operand(), same));
    }
    template <StageNumber<double> S>
    auto operator()(const S& sigma, GaussianOptions options = {}) const {
        return make_stage(*this, static_cast<double>(sigma), options);
    }
    template <StageNumber<double> S>
    auto operator()(const S& sigma, const AxisOrDim& axis, GaussianOptions options = {}) const {
        return make_stage(*this, static_cast<double>(sigma), axis, options);
    }
};
inline constexpr GaussianFunction gaussian1d;

} // namespace purview
