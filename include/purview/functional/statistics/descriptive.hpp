#pragma once

#include <purview/functional/along/argsort.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace purview {

// Of a scoped enumeration too, gcc warns of members named like functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What a part of a tensor is described by. Where it says sample, of a sample; else of a population, as NumPy and SciPy
/// do.
enum class Statistic : std::uint8_t {
    count,
    sum,
    mean,
    min,
    max,
    variance,
    standard_deviation,
    sample_variance,
    sample_standard_deviation,
    standard_error,
    skewness,
    sample_skewness,
    kurtosis,
    sample_kurtosis,
    quadratic_mean,
    geometric_mean,
    harmonic_mean,
    lower_quartile,
    median,
    upper_quartile
};
#pragma GCC diagnostic pop

/// Its name: "mean".
constexpr const char* name_of(Statistic statistic) noexcept {
    constexpr const char* kNames[] = {"count",
                                      "sum",
                                      "mean",
                                      "min",
                                      "max",
                                      "variance",
                                      "standard_deviation",
                                      "sample_variance",
                                      "sample_standard_deviation",
                                      "standard_error",
                                      "skewness",
                                      "sample_skewness",
                                      "kurtosis",
                                      "sample_kurtosis",
                                      "quadratic_mean",
                                      "geometric_mean",
                                      "harmonic_mean",
                                      "lower_quartile",
                                      "median",
                                      "upper_quartile"};
    return kNames[static_cast<std::size_t>(statistic)];
}

/// The statistics of each part of a view, in memory of float64, along an axis behind those of the view. Throws `DtypeError`
/// naming `what`.
PURVIEW_EXPORT Operand statistics_of(const char* what, const ReducedView& view,
                                     std::span<const Statistic> statistics);
/// One of them, written to memory of the type that means have.
PURVIEW_EXPORT void one_statistic(const char* what, Statistic statistic, const ReducedView& view,
                                  void* out);

/// A statistic as a reduction.
template <Statistic statistic>
struct StatisticOperation {
    static constexpr const char* kName = name_of(statistic);
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
        return run_erased<StatisticOperation>(view);
    }
};

// All are float32 of float32, else float64, computed in float64. NaN gives NaN, and so does an empty part.

/// How far the mean of a sample is off, most likely: `sample_standard_deviation / sqrt(n)`. Of one element: NaN.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::standard_error>>>
    standard_error;
/// The third central moment over the third power of the standard deviation: how much longer the tail on the right is. NaN
/// where elements do not differ by more than rounding. SciPy's `skew`.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::skewness>>> skewness;
/// The same, without the bias of a sample (Fisher and Pearson's G1): SciPy's with `bias=False`, pandas'. Of less than 3
/// elements: NaN.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::sample_skewness>>>
    sample_skewness;
/// The fourth central moment over the square of the variance, less 3, which is what a normal distribution has. NaN where
/// elements do not differ by more than rounding. SciPy's `kurtosis`.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::kurtosis>>> kurtosis;
/// The same, without the bias of a sample (G2). Of less than 4 elements: NaN.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::sample_kurtosis>>>
    sample_kurtosis;
/// The root of the mean of the squares.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::quadratic_mean>>>
    quadratic_mean;
/// The exponential of the mean of the logarithms. NaN if an element is negative, 0 if one is 0.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::geometric_mean>>>
    geometric_mean;
/// The reciprocal of the mean of the reciprocals. NaN if an element is negative, 0 if one is 0.
inline constexpr AcceptingArrays<ReduceFunction<StatisticOperation<Statistic::harmonic_mean>>>
    harmonic_mean;

/// The mean of the `order`-th powers of the differences from the mean, in memory.
PURVIEW_EXPORT Operand moment_operand(const ReducedView& view, int order);

/// `moment(x, k)`, `moment(x, k, axes…)`, and without `x` a stage: the k-th central moment, the mean of (x - mean)^k;
/// 1 of order 0, 0 of order 1. Throws `Error` for a negative order. Otherwise as `variance`, which is that of order 2.
struct MomentFunction : PipelineStage {
    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, int order, const A&... axes) const {
        const auto made = over(x, order, ChosenAxes::of(axes...));
        if constexpr (!kNamesAxes<A...>)
            return number_of<X>(made);
        else
            return made;
    }
    template <TensorLike X, ReduceOption... O>
    auto operator()(const X& x, int order, const Axes& axes, const O&... options) const {
        return over(x, order, ChosenAxes::of(axes, options...));
    }
    template <StageNumber<int> N, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const N& order, const A&... axes) const {
        return later(*this, static_cast<int>(order), axes...);
    }

private:
    template <TensorLike X>
    static auto over(const X& x, int order, const ChosenAxes& chosen) {
        return reduce_over<AveragedOf<X>>("moment", x, chosen, false, [&](const ReducedView& view) {
            return moment_operand(view, order);
        });
    }
};
inline constexpr AcceptingArrays<MomentFunction> moment;

/// Statistics by name: numbers, or tensors with those of each part.
template <typename Value>
class Description {
public:
    void add(Statistic statistic, Value value) {
        values_.emplace_back(statistic, std::move(value));
    }

    /// Throws `IndexError` for one that was not asked for.
    const Value& operator[](Statistic statistic) const {
        for (const auto& [name, value] : values_)
            if (name == statistic) return value;
        throw_missing(statistic);
    }
    /// In the order asked for.
    auto begin() const noexcept { return values_.begin(); }
    auto end() const noexcept { return values_.end(); }
    index_t size() const noexcept { return std::ssize(values_); }

private:
    [[noreturn]] static void throw_missing(Statistic statistic);

    std::vector<std::pair<Statistic, Value>> values_;
};
[[noreturn]] PURVIEW_EXPORT void throw_missing_statistic(Statistic statistic);
template <typename Value>
void Description<Value>::throw_missing(Statistic statistic) {
    throw_missing_statistic(statistic);
}

/// `descriptive_statistics(x, {Statistic::mean, Statistic::median})`: any set of them, as `Description<double>`; over
/// axes or dims, `descriptive_statistics(x, {…}, axes…)`, of tensors of float64; of an `AnyTensor`, of tensors. Without
/// a list: count, mean, sample standard deviation, min, quartiles and max, as pandas describes.
///
/// What needs no order is found in one pass, geometric and harmonic mean in one more each, and quartiles in one.
/// An empty part has 0 for count and sum, NaN for all others. With `skip_nan` behind the list and axes, count is that of the
/// numbers. Throws `DtypeError`.
struct DescriptiveStatisticsFunction : PipelineStage {
    using List = std::initializer_list<Statistic>;
    using Braces = List;

    template <TensorLike X, typename... A>
        requires(AxisArguments<A...>)
    auto operator()(const X& x, List list, const A&... axes) const {
        return describe<!kNamesAxes<A...>>(x, list, ChosenAxes::of(axes...));
    }
    template <TensorLike X, ReduceOption... O>
    auto operator()(const X& x, List list, const Axes& axes, const O&... options) const {
        return describe<false>(x, list, ChosenAxes::of(axes, options...));
    }
    template <TensorLike X, NanPolicy... P>
    auto operator()(const X& x, P... policy) const {
        using S = Statistic;
        return (*this)(x,
                       {S::count, S::mean, S::sample_standard_deviation, S::min, S::lower_quartile,
                        S::median, S::upper_quartile, S::max},
                       policy...);
    }
    template <NanPolicy P>
    auto operator()(P policy) const {
        return later(*this, policy);
    }
    template <typename... A>
        requires(AxisArguments<A...>)
    auto operator()(List list, const A&... axes) const {
        return Stage([list = std::vector<Statistic>(list), axes...]<TensorLike X>(const X& x) {
            return describe<!kNamesAxes<A...>>(x, list, ChosenAxes::of(axes...));
        });
    }

private:
    template <bool everything, TensorLike X>
    static auto describe(const X& x, std::span<const Statistic> list, const ChosenAxes& chosen) {
        using R = std::conditional_t<TypedTensor<X>, double, void>;
        const auto figures =
            reduce_over<R>("descriptive_statistics", x, chosen, true, [&](const ReducedView& view) {
                return statistics_of("descriptive_statistics", view, list);
            });
        using Handle = std::remove_const_t<decltype(figures)>;
        const auto figure = [&](std::size_t i) -> Handle {
            return figures(static_cast<index_t>(i), ellipsis);
        };
        if constexpr (everything && TypedTensor<X> && !HasDims<X>) {
            Description<double> description;
            for (std::size_t i = 0; i < list.size(); ++i)
                description.add(list[i], figure(i).item());
            return description;
        } else {
            Description<Handle> description;
            for (std::size_t i = 0; i < list.size(); ++i) description.add(list[i], figure(i));
            return description;
        }
    }
};
inline constexpr AcceptingArrays<DescriptiveStatisticsFunction> descriptive_statistics;

/// The mode: the element that is there most often; the least of several. Of the type of the elements, which are built in or have
/// `<`. NaN if any is. Throws `ShapeError` for an empty tensor. Eager; sorts, O(n), or O(n log n) of types that are not
/// built in.
struct MostFrequentOperation {
    static constexpr const char* kName = "most_frequent";
    template <typename T>
    using Result = T;

    template <typename T>
    static void run(const ReducedView& view, T* out) {
        require_not_sparse(kName, view.operand);
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
inline constexpr AcceptingArrays<ReduceFunction<MostFrequentOperation>> most_frequent;

} // namespace purview
