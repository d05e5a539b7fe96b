#pragma once

#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/statistics/number_array.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

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

/// The quantiles of each group of a view, in memory of the type that means have, which for times is
/// their own: of the shape of the view, with `listed` followed by an axis of the quantiles. With
/// `NanRule::skip`, of the elements that are not NaN. Everything in chunks that does not fit into memory is read
/// two or three times, cell by cell. Throws `Error` naming `what` for a quantile outside of [0, `scale`],
/// `DtypeError`.
PURVIEW_EXPORT Operand quantile_operand(const char* what, const ReducedView& view,
                                        std::span<const double> quantiles, double scale,
                                        bool listed, QuantileMethod method,
                                        NanRule nan = NanRule::keep);

/// The quantiles of each group of int64 counts, rounded to the nearest integer, ties down; NaT, the
/// lowest count, of a group that has it, or, with `NanRule::skip`, that has nothing else. Throws as
/// `quantile_operand` does, and `ShapeError` for an empty group. NaT is skipped where `skips_nan_by_reading`.
PURVIEW_EXPORT Operand quantiles_of_counts(const char* what, const ReducedView& view,
                                           std::span<const double> quantiles, double scale,
                                           bool listed, QuantileMethod method,
                                           NanRule nan = NanRule::keep);
/// Whether NaN and NaT are left out while elements are read, and no copy is made of the others: of numbers and counts.
PURVIEW_EXPORT bool skips_nan_by_reading(const ReducedView& numbers);

/// The quantiles of each group by the element type `T` (`void` if it is known at run time): of the
/// counts of times, else of the elements.
template <typename T>
Operand quantiles_of(const char* what, const ReducedView& view, std::span<const double> quantiles,
                     double scale, bool listed, QuantileMethod method,
                     NanRule nan = NanRule::keep) {
    if constexpr (CountedTime<T>) {
        ReducedView counts = view;
        counts.operand = integer_counts(view.operand);
        if (nan == NanRule::skip && !skips_nan_by_reading(counts))
            return reduce_non_nan(what, view, [&](const ReducedView& part) {
                return quantiles_of<T>(what, part, quantiles, scale, listed, method);
            });
        return times_of(quantiles_of_counts(what, counts, quantiles, scale, listed, method, nan),
                        kDType<T>);
    } else {
        return quantile_operand(what, view, quantiles, scale, listed, method, nan);
    }
}

/// A list of quantiles.
class QuantileList {
public:
    QuantileList(std::initializer_list<double> quantiles) : quantiles_(quantiles) {}
    QuantileList(std::vector<double> quantiles) : quantiles_(std::move(quantiles)) {}
    operator std::span<const double>() const noexcept {
        return {quantiles_.data(), quantiles_.size()};
    }

private:
    std::vector<double> quantiles_;
};

/// What may follow quantiles: a method, then axes and options.
struct QuantileOptions {
    QuantileMethod method = QuantileMethod::linear;
    ChosenAxes chosen;

    template <typename... A>
        requires AxisArguments<A...>
    explicit QuantileOptions(const A&... given) : chosen(ChosenAxes::of(given...)) {}
    template <typename... A>
        requires AxisArguments<A...>
    explicit QuantileOptions(QuantileMethod asked, const A&... given)
        : method(asked), chosen(ChosenAxes::of(given...)) {}
};
template <typename... A>
concept QuantileArguments = std::constructible_from<QuantileOptions, const A&...>;
/// Whether they name no axes, so that the result is that of everything.
template <typename... A>
inline constexpr bool kOfEverything = ((NanPolicy<A> || std::same_as<A, QuantileMethod>)&&...);

/// The quantiles of an array over axes, or everything: a tensor, `listed` with a first axis.
template <has_quantiles X>
auto quantiles_over(const char* what, const X& given, std::span<const double> quantiles,
                    double scale, bool listed, const QuantileOptions& options) {
    const auto& x = tensor_for_call(given);
    using T = ElementOrVoid<X>;
    ChosenAxes chosen = options.chosen;
    if (chosen.nan == NanRule::skip) chosen.nan = NanRule::keep; // it is skipped here
    return reduce_over<Averaged<T>>(what, x, chosen, listed, [&](const ReducedView& view) {
        return quantiles_of<T>(what, view, quantiles, scale, listed, options.method,
                               options.chosen.nan);
    });
}

/// The reduction to one quantile, a fraction of `scale`.
PURVIEW_EXPORT std::shared_ptr<const BuiltInReduction>
quantile_reduction(const char* what, double quantile, double scale, QuantileMethod method);
struct QuantileOperation {
    template <typename T>
    using Result = Averaged<T>;
};
/// The stage of one quantile of everything, which as a reducer of windows of numbers is one of the
/// library's reductions.
template <NanRule rule, typename Stage>
struct QuantileStage : Stage {
    std::shared_ptr<const BuiltInReduction> reduction;
};
template <NanRule rule, typename Stage>
struct ReducerParts<QuantileStage<rule, Stage>> {
    using Operation = QuantileOperation;
    static constexpr NanRule kRule = rule;
    static ChosenReducer chosen(const QuantileStage<rule, Stage>& stage) {
        return {stage.reduction.get(), nullptr, rule};
    }
};

/// `percentile(x, p)`, `quantile(x, q)`: the value below which p % of the elements, or a fraction q
/// of them, lie. Over everything a number; over axes or dims, `percentile(x, p, axes…)`, a tensor.
/// A list, `percentile(x, {25, 75}, axes…)`, adds a first axis: `[k, …]`, as in NumPy. Without `x`
/// a stage. Methods other than `linear` are given directly after p.
///
/// float32 for float32, else float64; for times counted in integers a time, at the nearest tick,
/// the earlier one of two; throws `ShapeError` if there are none. NaN where a group has a NaN, unless
/// a policy is given after the axes, or no elements. A quantile on an element, or between equal ones,
/// is that element, and one between a number and an infinity is infinite (NumPy: often NaN). O(n).
template <int scale>
struct QuantileFunction : StatisticalFunction {
    static constexpr const char* kName = scale == 100 ? "percentile" : "quantile";
    using StatisticalFunction::operator();

    template <has_quantiles X, std::convertible_to<double> Q, typename... A>
        requires QuantileArguments<A...>
    auto operator()(const X& x, const Q& q, const A&... given) const {
        const auto made = one(x, static_cast<double>(q), QuantileOptions(given...));
        if constexpr (kOfEverything<A...>)
            return number_of<X>(made);
        else
            return made;
    }
    template <has_quantiles X, std::convertible_to<double> Q, ReduceOption... O>
    auto operator()(const X& x, const Q& q, const Axes& axes, const O&... options) const {
        return one(x, static_cast<double>(q), QuantileOptions(axes, options...));
    }
    template <has_quantiles X, std::convertible_to<double> Q, ReduceOption... O>
    auto operator()(const X& x, const Q& q, QuantileMethod method, const Axes& axes,
                    const O&... options) const {
        return one(x, static_cast<double>(q), QuantileOptions(method, axes, options...));
    }
    template <has_quantiles X, typename... A>
        requires QuantileArguments<A...>
    auto operator()(const X& x, const QuantileList& list, const A&... given) const {
        return quantiles_over(kName, x, list, scale, true, QuantileOptions(given...));
    }
    template <has_quantiles X, ReduceOption... O>
    auto operator()(const X& x, const QuantileList& list, const Axes& axes,
                    const O&... options) const {
        return quantiles_over(kName, x, list, scale, true, QuantileOptions(axes, options...));
    }

    template <StageNumber<double> Q, typename... A>
        requires QuantileArguments<A...>
    auto operator()(const Q& q, const A&... given) const {
        auto stage = make_stage(*this, static_cast<double>(q), given...);
        if constexpr (kOfEverything<A...>)
            return QuantileStage<kRuleAmong<NanRule::keep, A...>, decltype(stage)>{
                std::move(stage), quantile_reduction(kName, static_cast<double>(q), scale,
                                                     QuantileOptions(given...).method)};
        else
            return stage;
    }
    template <typename... A>
        requires QuantileArguments<A...>
    auto operator()(std::initializer_list<double> list, const A&... given) const {
        return make_stage(*this, QuantileList(list), given...);
    }

private:
    template <typename X>
    static auto one(const X& x, double q, const QuantileOptions& options) {
        return quantiles_over(kName, x, std::span(&q, 1), scale, false, options);
    }
};
inline constexpr QuantileFunction<100> percentile;
inline constexpr QuantileFunction<1> quantile;

struct MedianOperation {
    static constexpr const char* kName = "median";
    template <typename T>
    using Result = Averaged<T>;
    PURVIEW_EXPORT static const BuiltInReduction& built_in();

    template <CountedTime T>
    static void run(const ReducedView& view, T* out) {
        static constexpr double kHalf = 0.5;
        const Operand found =
            quantiles_of<T>(kName, view, std::span(&kHalf, 1), 1, false, QuantileMethod::linear);
        Evaluation(found).read(0, view.groups, out);
    }
};
/// The middle element, or the mean of the two middle ones: over everything a number, over axes or
/// dims a tensor, without a tensor a stage. Otherwise as `percentile(x, 50)`.
inline constexpr ReduceFunction<MedianOperation> median;

struct QuartilesFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <has_quantiles X, AxisOrOption... A>
        requires(!AxisLike<X>)
    auto operator()(const X& x, const A&... axes) const {
        return over(x, QuantileOptions(axes...));
    }
    template <has_quantiles X, ReduceOption... O>
    auto operator()(const X& x, const Axes& axes, const O&... options) const {
        return over(x, QuantileOptions(axes, options...));
    }
    template <AxisOrOption... A>
    auto operator()(const A&... given) const {
        return make_stage(*this, given...);
    }
    template <ReduceOption... O>
    auto operator()(const Axes& axes, const O&... options) const {
        return make_stage(*this, axes, options...);
    }

private:
    template <typename X>
    static auto over(const X& x, const QuantileOptions& options) {
        static constexpr double kShares[] = {0, 0.25, 0.5, 0.75, 1};
        return quantiles_over("quartiles", x, kShares, 1, true, options);
    }
};
/// The minimum, the lower quartile, the median, the upper quartile and the maximum: `[5, …]`.
/// Otherwise as `percentile(x, {0, 25, 50, 75, 100})`.
inline constexpr QuartilesFunction quartiles;

/// Limits beyond which an element is called an outlier (Tukey's fences).
struct OutlierFences {
    double lower;
    double upper;

    /// Whether a value is an outlier; false for NaN.
    bool operator()(double value) const { return value < lower || value > upper; }
};

/// The calls of a function `F` of a tensor, a factor, by default 1.5, and a policy for NaN.
template <typename F>
struct FactorFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <number_array X, NanPolicy P = KeepNan>
        requires(F::template kTakes<X>)
    auto operator()(X&& x, double factor = 1.5, P policy = {}) const {
        return F::of(std::forward<X>(x), factor, policy);
    }
    template <number_array X, NanPolicy P>
        requires(F::template kTakes<X>)
    auto operator()(X&& x, P policy) const { return F::of(std::forward<X>(x), 1.5, policy); }
    template <StageNumber<double> N, NanPolicy... P>
    auto operator()(const N& factor, P... policy) const {
        return make_stage(*this, static_cast<double>(factor), policy...);
    }
    template <NanPolicy... P>
    auto operator()(P... policy) const {
        return make_stage(*this, policy...);
    }
};

struct OutlierFencesOf {
    template <typename X>
    static constexpr bool kTakes = plain_number_array<X>;
    template <typename X, NanPolicy P>
    static OutlierFences of(const X& x, double factor, P) {
        return fences(operand_for_call(x), factor, kNanRule<P>);
    }

private:
    PURVIEW_EXPORT static OutlierFences fences(const Operand& x, double factor, NanRule nan);
};
/// `outlier_fences(x)`: the quartiles, extended on both sides by `factor` times the distance
/// between them. Eager, O(n). NaN if `x` is empty, or has a NaN and no policy is given, as in
/// `outlier_fences(x, 1.5, skip_nan)`; then nothing is an outlier.
inline constexpr FactorFunction<OutlierFencesOf> outlier_fences;

struct IsOutlierOf {
    template <typename X>
    static constexpr bool kTakes = true;
    template <typename X, NanPolicy P>
    static auto of(X&& given, double factor, P policy) {
        const auto x = lasting_tensor(std::forward<X>(given));
        require_host_reads("is_outlier", x);
        const auto floats = cast<double>(x); // exact for float32 and most integers
        const auto ends = percentile(x, {25, 75}, policy) | cast<double>;
        const auto lower = ends(0, ellipsis);
        const auto upper = ends(1, ellipsis);
        const auto reach = clone((upper - lower) * factor);
        const auto outside = floats < lower - reach || floats > upper + reach;
        if constexpr (TypedTensor<AsTensorArgument<std::remove_cvref_t<X>>>)
            return outside;
        else
            return AnyTensor(outside);
    }
};
/// `is_outlier(x)`: bools, true outside of `outlier_fences(x, factor)`; with dims, of the fences of
/// each of their combinations. The fences are computed now, the rest is lazy.
inline constexpr FactorFunction<IsOutlierOf> is_outlier;

} // namespace purview
