#pragma once

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/number_array.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// `what(NAME)` for each statistic.
#define PURVIEW_FOR_STATISTICS(what)                                                           \
 what(count) what(sum) what(mean) what(min) what(max) what(variance) what(standard_deviation)  \
     what(sample_variance) what(sample_standard_deviation) what(standard_error) what(skewness) \
         what(sample_skewness) what(kurtosis) what(sample_kurtosis) what(quadratic_mean)       \
             what(geometric_mean) what(harmonic_mean) what(lower_quartile) what(median)        \
                 what(upper_quartile)

// gcc warns of enumerators named like functions even in a scoped enumeration.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#define PURVIEW_STATISTIC(NAME) NAME,
/// Descriptive statistics. Those with `sample` in their name are unbiased estimates from a sample;
/// the others are of a population, as in NumPy and SciPy.
enum class Statistic : std::uint8_t { PURVIEW_FOR_STATISTICS(PURVIEW_STATISTIC) };
#undef PURVIEW_STATISTIC
#pragma GCC diagnostic pop

/// The name of a statistic: "mean".
constexpr const char* name_of(Statistic statistic) noexcept {
#define PURVIEW_STATISTIC(NAME) #NAME,
    constexpr const char* kNames[] = {PURVIEW_FOR_STATISTICS(PURVIEW_STATISTIC)};
#undef PURVIEW_STATISTIC
    return kNames[static_cast<std::size_t>(statistic)];
}
#undef PURVIEW_FOR_STATISTICS

/// The statistics of each group of a view, in memory of float64, along a new last axis. Throws
/// `DtypeError` naming `what`.
PURVIEW_EXPORT Operand statistics_of(const char* what, const ReducedView& view,
                                     std::span<const Statistic> statistics);
PURVIEW_EXPORT const BuiltInReduction& statistic_reduction(Statistic statistic);

/// A statistic as an operation of `ReduceFunction`.
template <Statistic statistic>
struct StatisticOperation {
    static constexpr const char* kName = name_of(statistic);
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return statistic_reduction(statistic); }
};

// All are float32 for float32, else float64, computed in float64. NaN gives NaN, and so does an
// empty group.

/// The standard error of the mean: `sample_standard_deviation / sqrt(n)`. NaN for one element.
inline constexpr ReduceFunction<StatisticOperation<Statistic::standard_error>> standard_error;
/// The third central moment divided by the third power of the standard deviation: positive if the
/// right tail is longer. NaN if elements do not differ by more than rounding. SciPy's `skew`.
inline constexpr ReduceFunction<StatisticOperation<Statistic::skewness>> skewness;
/// The unbiased sample skewness (Fisher and Pearson's G1): SciPy's with `bias=False`, pandas'. NaN
/// for less than 3 elements.
inline constexpr ReduceFunction<StatisticOperation<Statistic::sample_skewness>> sample_skewness;
/// The excess kurtosis: the fourth central moment divided by the square of the variance, minus 3,
/// which is that of a normal distribution. NaN if elements do not differ by more than rounding.
/// SciPy's `kurtosis`.
inline constexpr ReduceFunction<StatisticOperation<Statistic::kurtosis>> kurtosis;
/// The unbiased sample kurtosis (G2). NaN for less than 4 elements.
inline constexpr ReduceFunction<StatisticOperation<Statistic::sample_kurtosis>> sample_kurtosis;
/// The square root of the mean of the squares.
inline constexpr ReduceFunction<StatisticOperation<Statistic::quadratic_mean>> quadratic_mean;
/// The exponential of the mean of the logarithms. NaN if an element is negative, 0 if one is 0.
inline constexpr ReduceFunction<StatisticOperation<Statistic::geometric_mean>> geometric_mean;
/// The reciprocal of the mean of the reciprocals. NaN if an element is negative, 0 if one is 0.
inline constexpr ReduceFunction<StatisticOperation<Statistic::harmonic_mean>> harmonic_mean;

/// The `order`-th central moments, in memory.
PURVIEW_EXPORT Operand moment_operand(const ReducedView& view, int order);

/// `moment(x, k)`, `moment(x, k, axes…)`, and without `x` a stage: the k-th central moment, the
/// mean of (x - mean)^k; 1 for order 0, 0 for order 1. Throws `Error` for a negative order.
/// Otherwise as `variance`, which is the moment of order 2.
struct MomentFunction : StatisticalFunction {
    using StatisticalFunction::operator();

    template <number_array X, AxisOrOption... A>
    auto operator()(const X& x, int order, const A&... axes) const {
        const auto made = over(tensor_for_call(x), order, ChosenAxes::of(axes...));
        if constexpr (!kNamesAxes<A...>)
            return number_of<X>(made);
        else
            return made;
    }
    template <number_array X, ReduceOption... O>
    auto operator()(const X& x, int order, const Axes& axes, const O&... options) const {
        return over(tensor_for_call(x), order, ChosenAxes::of(axes, options...));
    }
    template <StageNumber<int> N, AxisOrOption... A>
    auto operator()(const N& order, const A&... axes) const {
        return make_stage(*this, static_cast<int>(order), axes...);
    }

private:
    template <TensorLike X>
    static auto over(const X& x, int order, const ChosenAxes& chosen) {
        return reduce_over<AveragedOf<X>>("moment", x, chosen, false, [&](const ReducedView& view) {
            return moment_operand(view, order);
        });
    }
};
inline constexpr MomentFunction moment;

[[noreturn]] PURVIEW_EXPORT void throw_missing_statistic(Statistic statistic);
/// Statistics by name: numbers, or tensors with the statistics of each group.
template <typename Value>
class Description {
public:
    void add(Statistic statistic, Value value) {
        values_.emplace_back(statistic, std::move(value));
    }

    /// Throws `IndexError` for a statistic that was not asked for.
    const Value& operator[](Statistic statistic) const {
        for (const auto& [name, value] : values_)
            if (name == statistic) return value;
        throw_missing_statistic(statistic);
    }
    /// Pairs of statistic and value, in the order asked for.
    auto begin() const noexcept { return values_.begin(); }
    auto end() const noexcept { return values_.end(); }
    index_t size() const noexcept { return std::ssize(values_); }

    /// "{count: 3, mean: 1.5}".
    friend std::ostream& operator<<(std::ostream& out, const Description& description) {
        const char* before = "{";
        for (const auto& [name, value] : description.values_) {
            print_text(out, std::string(before) + name_of(name) + ": ");
            if constexpr (std::same_as<Value, double>)
                print_number(out, static_cast<long double>(value));
            else
                out << value;
            before = ", ";
        }
        print_text(out, description.values_.empty() ? "{}" : "}");
        return out;
    }

private:
    std::vector<std::pair<Statistic, Value>> values_;
};

/// A list of statistics, by default those of `descriptive_statistics(x)`.
struct StatisticList {
    std::vector<Statistic> statistics;

    PURVIEW_EXPORT StatisticList();
    PURVIEW_EXPORT StatisticList(std::initializer_list<Statistic> list);
};

/// `descriptive_statistics(x, {Statistic::mean, Statistic::median})`: any set of statistics, as
/// `Description<double>`; over axes or dims, `descriptive_statistics(x, {…}, axes…)`, a description
/// with tensors of float64; for an `AnyTensor`, with tensors. Without a list: count, mean, sample
/// standard deviation, min, quartiles and max, as pandas' `describe`.
///
/// Statistics that need no sorted order are computed in one pass; geometric and harmonic mean take
/// one pass more each, and quartiles one. An empty group has 0 for count and sum, NaN for all
/// others. With `skip_nan` after the list and axes, count is the number of elements that are not
/// NaN. Throws `DtypeError`.
struct DescriptiveStatisticsFunction : StatisticalFunction, PipelineStage {
    using StatisticalFunction::operator();

    template <number_array X, AxisOrOption... A>
    auto operator()(const X& x, const StatisticList& list, const A&... axes) const {
        return describe<!kNamesAxes<A...>>(tensor_for_call(x), list, ChosenAxes::of(axes...));
    }
    template <number_array X, ReduceOption... O>
    auto operator()(const X& x, const StatisticList& list, const Axes& axes,
                    const O&... options) const {
        return describe<false>(tensor_for_call(x), list, ChosenAxes::of(axes, options...));
    }
    template <number_array X, NanPolicy... P>
    auto operator()(const X& x, P... policy) const {
        return (*this)(x, StatisticList(), policy...);
    }
    template <NanPolicy... P>
    auto operator()(P... policy) const {
        return make_stage(*this, policy...);
    }
    template <AxisOrOption... A>
    auto operator()(const StatisticList& list, const A&... axes) const {
        return make_stage(*this, list, axes...);
    }

private:
    template <bool everything, TensorLike X>
    static auto describe(const X& x, const StatisticList& list, const ChosenAxes& chosen) {
        using R = std::conditional_t<TypedTensor<X>, double, void>;
        const auto statistics =
            reduce_over<R>("descriptive_statistics", x, chosen, true, [&](const ReducedView& view) {
                return statistics_of("descriptive_statistics", view,
                                     {list.statistics.data(), list.statistics.size()});
            });
        using Handle = std::remove_const_t<decltype(statistics)>;
        constexpr bool kNumbers = everything && TypedTensor<X> && !HasDims<X>;
        Description<std::conditional_t<kNumbers, double, Handle>> description;
        for (index_t i = 0; const Statistic name : list.statistics) {
            const auto statistic = statistics(i++, ellipsis);
            if constexpr (kNumbers)
                description.add(name, statistic.item());
            else
                description.add(name, statistic);
        }
        return description;
    }
};
inline constexpr DescriptiveStatisticsFunction descriptive_statistics;

/// The mode: the most frequent element, of several the least. Of the type of the elements, which
/// are built-in or have `<`. NaN if any element is NaN. Throws `ShapeError` for an empty tensor.
/// Eager; sorts, O(n), or O(n log n) for types that are not built-in.
struct MostFrequentOperation {
    static constexpr const char* kName = "most_frequent";
    template <typename T>
    using Result = T;
    PURVIEW_EXPORT static const BuiltInReduction& built_in();

    template <typename T>
        requires requires(const T& a, const T& b) {
            a < b;
            a != b;
        }
    static void run(const ReducedView& view, T* out) {
        require_not_sparse(kName, view.operand);
        require_elements(kName, view);
        if (view.groups == 0) return;
        AxisParts parts;
        parts.operand = view.operand;
        parts.groups = view.groups;
        parts.length = view.operand.dims.size() / view.groups;
        require_host_reads(kName, view.operand);
        const Tensor<T> sorted(
            in_memory(kName, taken_along(parts, argsort_in<T>(parts, ascending).operand())));
        const T* element = as_span(sorted).data();
        for (index_t g = 0; g < parts.groups; ++g, element += parts.length)
            out[g] = of_sorted(element, parts.length);
    }

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
