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

/// How a quantile is computed from the two elements that it lies between: NumPy's methods by their
/// names; in parentheses the types of Hyndman and Fan ("Sample quantiles in statistical packages",
/// 1996).
enum class QuantileMethod : std::uint8_t {
    inverted_cdf,              ///< (1)
    averaged_inverted_cdf,     ///< (2)
    closest_observation,       ///< (3); for ties the element of even rank, counted from 1
    interpolated_inverted_cdf, ///< (4)
    hazen,                     ///< (5)
    weibull,                   ///< (6); the one of dtype-next
    linear,                    ///< (7); the default
    median_unbiased,           ///< (8)
    normal_unbiased,           ///< (9)
    lower,
    higher,
    midpoint,
    nearest ///< for ties the element of even rank, counted from 0
};

/// The position of a quantile among sorted elements: between two ranks, and at which fraction of
/// the way.
struct QuantilePlace {
    index_t low = 0;
    index_t high = 0;
    double share = 0;
};
/// The position of a quantile among `count` >= 1 sorted elements; 0 <= quantile <= 1.
PURVIEW_EXPORT QuantilePlace quantile_place(index_t count, double quantile, QuantileMethod method);

/// The quantiles of each group of a view, in memory of the type that means have: of the shape of
/// the view, with `listed` followed by an axis of the quantiles. Throws `Error` naming `what` for a
/// quantile outside of [0, `scale`], `DtypeError`.
PURVIEW_EXPORT Operand quantile_operand(const char* what, const ReducedView& view,
                                        std::span<const double> quantiles, double scale,
                                        bool listed, QuantileMethod method);

/// The same for int64 counts, rounded to the nearest integer, ties down. Throws also `ShapeError`
/// for an empty group.
PURVIEW_EXPORT Operand quantiles_of_counts(const char* what, const ReducedView& view,
                                           std::span<const double> quantiles, double scale,
                                           bool listed, QuantileMethod method);
/// One of the two, by the element type `T` (`void` if it is known at run time).
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

/// `percentile(x, p)`, `quantile(x, q)`: the value below which p % of the elements, or a fraction q
/// of them, lie. Over everything a number; over axes or dims, `percentile(x, p, axes…)`, a tensor.
/// A list, `percentile(x, {25, 75}, axes…)`, adds a first axis: `[k, …]`, as in NumPy. Without `x`
/// a stage. Methods other than `linear` are given directly after p.
///
/// float32 for float32, else float64; for times counted in integers a time, at the nearest tick,
/// the earlier one of two; throws `ShapeError` if there are none. A group with a NaN gives NaN
/// unless a policy is given after the axes, and so does an empty group. A quantile that lies on an
/// element, or between equal ones, is that element, also if it is infinite (NumPy: NaN). Eager,
/// O(n), and less for ranks: memory is read once.
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
        return make_stage(*this, static_cast<double>(q), method, axes...);
    }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List q, const A&... axes) const { return (*this)(q, kDefault, axes...); }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List q, QuantileMethod method, const A&... axes) const {
        return make_stage(*this, std::vector<double>(q), method, axes...);
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

/// `percentile` with a fixed list of quantiles.
template <bool quartiles>
struct KnownQuantilesFunction : PipelineStage {
    using Braces = AxisValues;

    static constexpr const char* kName = quartiles ? "quartiles" : "median";

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...> && !AxisLike<X> && !kDefersReductions<X>)
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

    /// Rejected at compile time, with a message.
    template <TensorLike X, typename... A>
        requires(kDefersReductions<X> && !AxisLike<X>)
    Refusal operator()(const X&, const A&...) const {
        static_assert(kRefused<X>, "this reduction is not defined for symbols");
        return {};
    }

    template <AxisOrOption First, AxisOrOption... Rest>
    auto operator()(const First& first, const Rest&... rest) const {
        return make_stage(*this, first, rest...);
    }
    template <ReduceOption... O>
    auto operator()(const Axes& axes, const O&... options) const {
        return make_stage(*this, axes, options...);
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
/// The middle element, or the mean of the two middle ones: over everything a number, over axes or
/// dims a tensor, without a tensor a stage. Otherwise as `percentile(x, 50)`.
inline constexpr AcceptingArrays<KnownQuantilesFunction<false>> median;
/// The minimum, the lower quartile, the median, the upper quartile and the maximum: `[5, …]`.
/// Otherwise as `percentile(x, {0, 25, 50, 75, 100})`.
inline constexpr AcceptingArrays<KnownQuantilesFunction<true>> quartiles;

/// Limits beyond which an element is called an outlier (Tukey's fences).
struct OutlierFences {
    double lower;
    double upper;

    /// Whether a value is an outlier; false for NaN.
    bool operator()(double value) const { return value < lower || value > upper; }
};

/// The overloads of a function `F` of a tensor, a factor (by default 1.5) and a NaN policy.
template <typename F>
struct FactorFunction : F {
    using F::operator();

    template <TensorLike X, NanPolicy... P>
        requires std::invocable<const F&, const X&, double, P...>
    auto operator()(const X& x, P... policy) const { return (*this)(x, 1.5, policy...); }
    template <StageNumber<double> N, NanPolicy... P>
    auto operator()(const N& factor, P... policy) const {
        return make_stage(*this, static_cast<double>(factor), policy...);
    }
    template <NanPolicy P>
    auto operator()(P policy) const {
        return make_stage(*this, policy);
    }
};

/// `outlier_fences(x)`: the quartiles, extended on both sides by `factor` times the distance
/// between them. Eager, O(n). NaN if `x` is empty, or has a NaN and no policy is given, as in
/// `outlier_fences(x, 1.5, skip_nan)`; then nothing is an outlier.
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

/// `is_outlier(x)`: bools, true outside of `outlier_fences(x, factor)`; with dims, of the fences of
/// each of their combinations. The fences are computed now, the rest is lazy.
struct IsOutlierFunction : PipelineStage {
    template <TensorLike X, NanPolicy... P>
        requires(sizeof...(P) <= 1)
    auto operator()(const X& x, double factor, P... policy) const {
        const auto floats = cast<double>(x); // exact for float32 and most integers
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
