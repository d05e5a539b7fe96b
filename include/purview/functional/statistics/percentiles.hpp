#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace purview {

/// How a quantile lies between the two elements that it falls between: NumPy's methods by their names, Hyndman and
/// Fan's ("Sample quantiles in statistical packages", 1996) types in brackets.
enum class QuantileMethod : std::uint8_t {
    inverted_cdf,              ///< (1)
    averaged_inverted_cdf,     ///< (2)
    closest_observation,       ///< (3) of two as close, the one of even rank, counted from 1
    interpolated_inverted_cdf, ///< (4)
    hazen,                     ///< (5)
    weibull,                   ///< (6) dtype-next's
    linear,                    ///< (7) the default
    median_unbiased,           ///< (8)
    normal_unbiased,           ///< (9)
    lower,
    higher,
    midpoint,
    nearest ///< of two as close, the one of even rank, counted from 0
};

/// Where a quantile lies: between the elements at two ranks, and how far behind the first.
struct QuantilePlace {
    index_t low = 0;
    index_t high = 0;
    double share = 0;
};
/// Of `count` sorted elements, at least one; 0 <= quantile <= 1.
PURVIEW_EXPORT QuantilePlace quantile_place(index_t count, double quantile, QuantileMethod method);

/// The quantiles of each part of a view, in memory of the type that means have: of the shape of the view, and with
/// `listed`, an axis of the quantiles behind it. Throws `Error` naming `what` for a quantile outside of [0, `scale`],
/// `DtypeError`.
PURVIEW_EXPORT Operand quantile_operand(const char* what, const ReducedView& view,
                                        std::span<const double> quantiles, double scale,
                                        bool listed, QuantileMethod method);

/// The same of counts, int64, at the nearest integer, of two as near the lesser. Throws also `ShapeError` for a group of none.
PURVIEW_EXPORT Operand quantiles_of_counts(const char* what, const ReducedView& view,
                                           std::span<const double> quantiles, double scale,
                                           bool listed, QuantileMethod method);
/// One of both, by the element type, `void` where it is known at run time.
template <typename T>
Operand quantiles_of(const char* what, const ReducedView& view, std::span<const double> quantiles,
                     double scale, bool listed, QuantileMethod method) {
    if constexpr (CountedTime<T>) {
        ReducedView counts = view;
        counts.operand = counts_of<T>(view.operand);
        return times_of<T>(quantiles_of_counts(what, counts, quantiles, scale, listed, method));
    } else {
        return quantile_operand(what, view, quantiles, scale, listed, method);
    }
}

/// `percentile(x, p)`, `quantile(x, q)`: what p % of the elements, or a share q, lie below. Over everything a number;
/// over axes or dims, `percentile(x, p, axes…)`, a tensor. A list of them, `percentile(x, {25, 75}, axes…)`, gives an
/// axis more, before the others: `[k, …]`, as NumPy does. Without `x` a stage. Other methods than `linear` come directly
/// behind p.
///
/// float32 of float32, else float64; of times that integers count times, at the nearest tick, in the middle the earlier, and a
/// `ShapeError` where there are none. A part that has a NaN gives NaN unless a policy is said behind the axes, and so does
/// an empty one. Where a quantile lies on
/// an element, or between equal ones, it is that element, an infinity too (NumPy: NaN). Eager, O(n), and less for
/// ranks: memory is read once.
template <int scale>
struct QuantileFunction : PipelineStage {
    static constexpr const char* kName = scale == 100 ? "percentile" : "quantile";
    using List = std::initializer_list<double>;
    using Braces = List;
    static constexpr QuantileMethod kDefault = QuantileMethod::linear;

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, double q, const A&... axes) const {
        return (*this)(x, q, kDefault, axes...);
    }
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, double q, QuantileMethod method, const A&... axes) const {
        const auto made =
            over(x, std::span<const double>(&q, 1), false, method, ChosenAxes::of(axes...));
        if constexpr (!kNamesAxes<A...>)
            return number_of<X>(made);
        else
            return made;
    }
    template <TensorLike X, ReduceOption... O>
    auto operator()(const X& x, double q, QuantileMethod method, const Axes& axes,
                    const O&... options) const {
        return over(x, std::span<const double>(&q, 1), false, method,
                    ChosenAxes::of(axes, options...));
    }
    template <TensorLike X, ReduceOption... O>
    auto operator()(const X& x, double q, const Axes& axes, const O&... options) const {
        return (*this)(x, q, kDefault, axes, options...);
    }

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, List q, const A&... axes) const {
        return (*this)(x, std::vector<double>(q), kDefault, axes...);
    }
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, List q, QuantileMethod method, const A&... axes) const {
        return (*this)(x, std::vector<double>(q), method, axes...);
    }
    template <TensorLike X>
    auto operator()(const X& x, List q, const Axes& axes) const {
        return (*this)(x, std::vector<double>(q), kDefault, axes);
    }
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, const std::vector<double>& q, const A&... axes) const {
        return (*this)(x, q, kDefault, axes...);
    }
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, const std::vector<double>& q, QuantileMethod method,
                    const A&... axes) const {
        return over(x, std::span<const double>(q), true, method, ChosenAxes::of(axes...));
    }

    template <StageNumber<double> N, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const N& q, const A&... axes) const { return (*this)(q, kDefault, axes...); }
    template <StageNumber<double> N, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const N& q, QuantileMethod method, const A&... axes) const {
        return later(*this, static_cast<double>(q), method, axes...);
    }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List q, const A&... axes) const { return (*this)(q, kDefault, axes...); }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List q, QuantileMethod method, const A&... axes) const {
        return later(*this, std::vector<double>(q), method, axes...);
    }

private:
    template <TensorLike X>
    static auto over(const X& x, std::span<const double> q, bool listed, QuantileMethod method,
                     const ChosenAxes& chosen) {
        return reduce_over<AveragedOf<X>>(kName, x, chosen, listed, [&](const ReducedView& view) {
            return quantiles_of<ElementOrVoid<X>>(kName, view, q, scale, listed, method);
        });
    }
};
inline constexpr AcceptingArrays<QuantileFunction<100>> percentile;
inline constexpr AcceptingArrays<QuantileFunction<1>> quantile;

/// Of each part: the same function as `percentile`, whose list is known.
template <bool quartiles>
struct KnownQuantilesFunction : PipelineStage {
    using Braces = AxisValues;

    static constexpr const char* kName = quartiles ? "quartiles" : "median";

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...> && !AxisLike<X>)
    auto operator()(const X& x, const A&... axes) const {
        const auto made = over(x, ChosenAxes::of(axes...));
        if constexpr (!kNamesAxes<A...> && !quartiles)
            return number_of<X>(made);
        else
            return made;
    }
    template <TensorLike X, ReduceOption... O>
    auto operator()(const X& x, const Axes& axes, const O&... options) const {
        return over(x, ChosenAxes::of(axes, options...));
    }

    template <AxisOrOption First, AxisOrOption... Rest>
    auto operator()(const First& first, const Rest&... rest) const {
        return later(*this, first, rest...);
    }
    template <ReduceOption... O>
    auto operator()(const Axes& axes, const O&... options) const {
        return later(*this, axes, options...);
    }

private:
    template <TensorLike X>
    static auto over(const X& x, const ChosenAxes& chosen) {
        static constexpr double kShares[] = {0, 0.25, 0.5, 0.75, 1};
        return reduce_over<AveragedOf<X>>(kName, x, chosen, quartiles, [](const ReducedView& view) {
            const std::span<const double> shares(kShares);
            return quantiles_of<ElementOrVoid<X>>(kName, view,
                                                  quartiles ? shares : shares.subspan(2, 1), 1,
                                                  quartiles, QuantileMethod::linear);
        });
    }
};
/// The element in the middle, or the mean of the two that are there: over everything a number, over axes or dims a
/// tensor, without a tensor a stage. Otherwise as `percentile(x, 50)`.
inline constexpr AcceptingArrays<KnownQuantilesFunction<false>> median;
/// The least element, the lower quartile, the median, the upper quartile and the greatest element: `[5, …]`. Otherwise as
/// `percentile(x, {0, 25, 50, 75, 100})`.
inline constexpr AcceptingArrays<KnownQuantilesFunction<true>> quartiles;

/// Limits beyond which an element is called an outlier (Tukey's fences).
struct OutlierFences {
    double lower;
    double upper;

    /// NaN is none.
    bool operator()(double value) const { return value < lower || value > upper; }
};

/// A function `F` of a tensor, a factor, which is 1.5 if none is said, and a policy of NaN.
template <typename F>
struct FactorFunction : F {
    using F::operator();

    template <TensorLike X, NanPolicy... P>
        requires std::invocable<const F&, const X&, double, P...>
    auto operator()(const X& x, P... policy) const { return (*this)(x, 1.5, policy...); }
    template <StageNumber<double> N, NanPolicy... P>
    auto operator()(const N& factor, P... policy) const {
        return later(*this, static_cast<double>(factor), policy...);
    }
    template <NanPolicy P>
    auto operator()(P policy) const {
        return later(*this, policy);
    }
};

/// `outlier_fences(x)`: `factor` times the distance of the quartiles below the lower and above the upper one. Eager,
/// O(n). NaN where `x` has one and no policy is said, `outlier_fences(x, 1.5, skip_nan)`, or is empty. Then nothing is an outlier.
struct OutlierFencesFunction : PipelineStage {
    template <PlainOrOrdered X, NanPolicy... P>
        requires(sizeof...(P) <= 1)
    OutlierFences operator()(const X& x, double factor, P... policy) const {
        const auto ends = cast<double>(percentile(plain_tensor(x), {25, 75}, policy...));
        const double lower = ends(0);
        const double upper = ends(1);
        const double reach = factor * (upper - lower);
        return {lower - reach, upper + reach};
    }
};
inline constexpr AcceptingArrays<FactorFunction<OutlierFencesFunction>> outlier_fences;

/// `is_outlier(x)`: bools, true outside of `outlier_fences(x, factor)`; with dims, of those of each of their combinations. The
/// fences are found at once, the rest is lazy.
struct IsOutlierFunction : PipelineStage {
    template <TensorLike X, NanPolicy... P>
        requires(sizeof...(P) <= 1)
    auto operator()(const X& x, double factor, P... policy) const {
        const auto floats = cast<double>(x); // of float32, and most integers, exact
        const auto ends = percentile(x, {25, 75}, policy...) | cast<double>;
        const auto lower = ends(0, ellipsis);
        const auto upper = ends(1, ellipsis);
        const auto reach = clone((upper - lower) * factor);
        const auto outside = floats < lower - reach || floats > upper + reach;
        if constexpr (TypedTensor<X>)
            return outside;
        else
            return AnyTensor(outside);
    }
};
inline constexpr AcceptingArrays<FactorFunction<IsOutlierFunction>> is_outlier;

} // namespace purview
