#pragma once

#include <purview/functional/argsort.hpp>
#include <purview/functional/reduce_over.hpp>
#include <purview/functional/statistics.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace purview {

/// What a part of a tensor is described by. Where it says sample, of a sample; else of a population, as NumPy and SciPy
/// do.
enum class StatisticName : std::uint8_t {
    of_count,
    of_sum,
    of_mean,
    of_min,
    of_max,
    of_variance,
    of_standard_deviation,
    of_sample_variance,
    of_sample_standard_deviation,
    of_standard_error,
    of_skewness,
    of_sample_skewness,
    of_kurtosis,
    of_sample_kurtosis,
    of_quadratic_mean,
    of_geometric_mean,
    of_harmonic_mean,
    of_lower_quartile,
    of_median,
    of_upper_quartile
};
/// As they are called: `Statistic::mean`.
struct Statistic {
    static constexpr StatisticName count = StatisticName::of_count;
    static constexpr StatisticName sum = StatisticName::of_sum;
    static constexpr StatisticName mean = StatisticName::of_mean;
    static constexpr StatisticName min = StatisticName::of_min;
    static constexpr StatisticName max = StatisticName::of_max;
    static constexpr StatisticName variance = StatisticName::of_variance;
    static constexpr StatisticName standard_deviation = StatisticName::of_standard_deviation;
    static constexpr StatisticName sample_variance = StatisticName::of_sample_variance;
    static constexpr StatisticName sample_standard_deviation =
        StatisticName::of_sample_standard_deviation;
    static constexpr StatisticName standard_error = StatisticName::of_standard_error;
    static constexpr StatisticName skewness = StatisticName::of_skewness;
    static constexpr StatisticName sample_skewness = StatisticName::of_sample_skewness;
    static constexpr StatisticName kurtosis = StatisticName::of_kurtosis;
    static constexpr StatisticName sample_kurtosis = StatisticName::of_sample_kurtosis;
    static constexpr StatisticName quadratic_mean = StatisticName::of_quadratic_mean;
    static constexpr StatisticName geometric_mean = StatisticName::of_geometric_mean;
    static constexpr StatisticName harmonic_mean = StatisticName::of_harmonic_mean;
    static constexpr StatisticName lower_quartile = StatisticName::of_lower_quartile;
    static constexpr StatisticName median = StatisticName::of_median;
    static constexpr StatisticName upper_quartile = StatisticName::of_upper_quartile;
};

/// Each of the statistics of each part of a view, in memory of the shape of the view: float64, or with `narrow` the type
/// that means have. Throws `DtypeError` naming `what`.
PURVIEW_EXPORT std::vector<Operand> statistics_of(const char* what, const ReducedView& view,
                                                  std::span<const StatisticName> statistics,
                                                  bool narrow);
/// The same of one, written to memory of the type that means have.
PURVIEW_EXPORT void one_statistic(const char* what, StatisticName statistic,
                                  const ReducedView& view, void* out);

/// A statistic as a reduction.
template <StatisticName statistic>
struct StatisticOperation {
    static constexpr const char* kName =
        statistic == Statistic::standard_error    ? "standard_error"
        : statistic == Statistic::skewness        ? "skewness"
        : statistic == Statistic::sample_skewness ? "sample_skewness"
        : statistic == Statistic::kurtosis        ? "kurtosis"
        : statistic == Statistic::sample_kurtosis ? "sample_kurtosis"
        : statistic == Statistic::quadratic_mean  ? "quadratic_mean"
        : statistic == Statistic::geometric_mean  ? "geometric_mean"
                                                  : "harmonic_mean";
    template <typename T>
    using Result = Averaged<T>;

    template <BuiltinType T>
    static void run(const ReducedView& view, Result<T>* out) {
        one_statistic(kName, statistic, view, out);
    }
    template <typename T>
    static Operand node(const ReducedView&) {
        static_assert(!BuiltinType<T>, "this statistic is not defined for symbols");
        return {};
    }
    static AnyTensor run_any(const ReducedView& view) {
        return AnyTensor(statistics_of(kName, view, std::span(&statistic_, 1), true)[0]);
    }

private:
    static constexpr StatisticName statistic_ = statistic;
};

// All are float32 of float32, else float64, computed in float64. NaN gives NaN, and so does an empty part.

/// How far the mean of a sample is off, most likely: `sample_standard_deviation / sqrt(n)`. Of one element: NaN.
inline constexpr ReduceFunction<StatisticOperation<Statistic::standard_error>> standard_error;
/// The third central moment over the third power of the standard deviation: how much longer the tail on the right is. NaN
/// where elements do not differ by more than rounding. SciPy's `skew`.
inline constexpr ReduceFunction<StatisticOperation<Statistic::skewness>> skewness;
/// The same, without the bias of a sample (Fisher and Pearson's G1): SciPy's with `bias=False`, pandas'. Of less than 3
/// elements: NaN.
inline constexpr ReduceFunction<StatisticOperation<Statistic::sample_skewness>> sample_skewness;
/// The fourth central moment over the square of the variance, less 3, which is what a normal distribution has. NaN where
/// elements do not differ by more than rounding. SciPy's `kurtosis`.
inline constexpr ReduceFunction<StatisticOperation<Statistic::kurtosis>> kurtosis;
/// The same, without the bias of a sample (G2). Of less than 4 elements: NaN.
inline constexpr ReduceFunction<StatisticOperation<Statistic::sample_kurtosis>> sample_kurtosis;
/// The root of the mean of the squares.
inline constexpr ReduceFunction<StatisticOperation<Statistic::quadratic_mean>> quadratic_mean;
/// The exponential of the mean of the logarithms. NaN if an element is negative, 0 if one is 0.
inline constexpr ReduceFunction<StatisticOperation<Statistic::geometric_mean>> geometric_mean;
/// The reciprocal of the mean of the reciprocals. NaN if an element is negative, 0 if one is 0.
inline constexpr ReduceFunction<StatisticOperation<Statistic::harmonic_mean>> harmonic_mean;

/// The mean of the `order`-th powers of the differences from the mean, in memory.
PURVIEW_EXPORT Operand moment_operand(const ReducedView& view, int order);

/// `moment(x, k)`, `moment(x, k, axes…)`, and without `x` a stage: the k-th central moment, the mean of (x - mean)^k;
/// 1 of order 0, 0 of order 1. Throws `Error` for a negative order. Otherwise as `variance`, which is that of order 2.
struct MomentFunction : PipelineStage {
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, int order, const A&... axes) const {
        const auto made = over(x, order, ChosenAxes::of(axes...));
        if constexpr (sizeof...(A) == 0)
            return number_of<X>(made);
        else
            return made;
    }
    template <TensorLike X>
    auto operator()(const X& x, int order, const Axes& axes) const {
        return over(x, order, {axes});
    }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(int order, const A&... axes) const { return later(*this, order, axes...); }

private:
    template <TensorLike X>
    static auto over(const X& x, int order, const ChosenAxes& chosen) {
        return reduce_over<AveragedOf<X>>("moment", x, chosen, false, [&](const ReducedView& view) {
            return moment_operand(view, order);
        });
    }
};
inline constexpr MomentFunction moment;

/// Statistics by name: numbers, or tensors with those of each part.
template <typename Value>
class Description {
public:
    void add(StatisticName statistic, Value value) {
        values_.emplace_back(statistic, std::move(value));
    }

    /// Throws `IndexError` for one that was not asked for.
    const Value& operator[](StatisticName statistic) const {
        for (const auto& [name, value] : values_)
            if (name == statistic) return value;
        throw_missing(statistic);
    }
    /// In the order asked for.
    auto begin() const noexcept { return values_.begin(); }
    auto end() const noexcept { return values_.end(); }
    index_t size() const noexcept { return std::ssize(values_); }

private:
    [[noreturn]] static void throw_missing(StatisticName statistic);

    std::vector<std::pair<StatisticName, Value>> values_;
};
/// Its name: "mean".
PURVIEW_EXPORT const char* name_of(StatisticName statistic) noexcept;
[[noreturn]] PURVIEW_EXPORT void throw_missing_statistic(StatisticName statistic);
template <typename Value>
void Description<Value>::throw_missing(StatisticName statistic) {
    throw_missing_statistic(statistic);
}

/// `descriptive_statistics(x, {Statistic::mean, Statistic::median})`: any set of them, as `Description<double>`; over
/// axes or dims, `descriptive_statistics(x, {…}, axes…)`, of tensors of float64; of an `AnyTensor`, of tensors. Without
/// a list: count, mean, sample standard deviation, min, quartiles and max, as pandas describes.
///
/// What needs no order is found in one pass, geometric and harmonic mean in one more each, and quartiles in one.
/// An empty part has 0 for count and sum, NaN for all others. Throws `DtypeError`.
struct DescriptiveStatisticsFunction : PipelineStage {
    using List = std::initializer_list<StatisticName>;

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, List list, const A&... axes) const {
        return describe<sizeof...(A) == 0>(x, list, ChosenAxes::of(axes...));
    }
    template <TensorLike X>
    auto operator()(const X& x, List list, const Axes& axes) const {
        return describe<false>(x, list, {axes});
    }
    template <TensorLike X>
    auto operator()(const X& x) const {
        using S = Statistic;
        return (*this)(x, {S::count, S::mean, S::sample_standard_deviation, S::min,
                           S::lower_quartile, S::median, S::upper_quartile, S::max});
    }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List list, const A&... axes) const {
        return Stage([list = std::vector<StatisticName>(list), axes...]<TensorLike X>(const X& x) {
            return describe<sizeof...(A) == 0>(x, list, ChosenAxes::of(axes...));
        });
    }

private:
    template <bool everything, TensorLike X>
    static auto describe(const X& x, std::span<const StatisticName> list,
                         const ChosenAxes& chosen) {
        std::vector<Operand> made;
        const auto first = [&](const ReducedView& view) {
            made = statistics_of("descriptive_statistics", view, list, false);
            return made.empty() ? Operand(constant_operand(0.0, view.shape)) : made[0];
        };
        using R = std::conditional_t<TypedTensor<X>, double, void>;
        const auto handle = reduce_over<R>("descriptive_statistics", x, chosen, false, first);
        const auto as_handle = [&](const Operand& operand) {
            return reduce_over<R>("descriptive_statistics", x, chosen, false,
                                  [&](const ReducedView&) { return operand; });
        };
        using Handle = std::remove_const_t<decltype(handle)>;
        if constexpr (everything && TypedTensor<X> && !HasDims<X>) {
            Description<double> description;
            for (std::size_t i = 0; i < list.size(); ++i)
                description.add(list[i], as_handle(made[i]).item());
            return description;
        } else {
            Description<Handle> description;
            for (std::size_t i = 0; i < list.size(); ++i)
                description.add(list[i], as_handle(made[i]));
            return description;
        }
    }
};
inline constexpr DescriptiveStatisticsFunction descriptive_statistics;

/// The mode: the element that is there most often; the least of several. Of the type of the elements, which are built in or have
/// `<`. NaN if any is. Throws `ShapeError` for an empty tensor. Eager; sorts, O(n), or O(n log n) of types that are not
/// built in.
struct MostFrequentOperation {
    static constexpr const char* kName = "most_frequent";
    template <typename T>
    using Result = T;

    template <typename T>
    static void run(const ReducedView& view, T* out) {
        require_elements(kName, view);
        if (view.groups == 0) return;
        AxisParts parts;
        parts.operand = view.operand;
        parts.groups = view.groups;
        parts.length = view.operand.dims.size() / view.groups;
        const MutableTensor<T> sorted = taken_along<T>(parts, argsort_in<T>(parts, ascending));
        const T* element = as_span(sorted).data();
        for (index_t g = 0; g < parts.groups; ++g, element += parts.length)
            out[g] = of_sorted(element, parts.length);
    }
    template <typename T>
    static Operand node(const ReducedView&) {
        static_assert(!BuiltinType<T>, "most_frequent is not defined for symbols");
        return {};
    }
    PURVIEW_EXPORT static AnyTensor run_any(const ReducedView& view);

private:
    template <typename T>
    static T of_sorted(const T* sorted, index_t count) {
        if (sorted[count - 1] != sorted[count - 1]) return sorted[count - 1];
        index_t most = 0;
        const T* found = sorted;
        for (index_t begin = 0, end = 0; begin < count; begin = end) {
            while (end < count && sorted[end] == sorted[begin]) ++end;
            if (end - begin > most) {
                most = end - begin;
                found = sorted + begin;
            }
        }
        return *found;
    }
};
inline constexpr ReduceFunction<MostFrequentOperation> most_frequent;

} // namespace purview
