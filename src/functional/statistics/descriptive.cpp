#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/reductions/group_scales.hpp"
#include "functional/reductions/rolled_floats.hpp"
#include "functional/statistics/sorted_in_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The highest power in the moments that a statistic needs; -1: it needs no moments.
int power_of(Statistic statistic) {
    switch (statistic) {
    case Statistic::count:
    case Statistic::sum:
    case Statistic::mean:
    case Statistic::min:
    case Statistic::max: return 1;
    case Statistic::variance:
    case Statistic::standard_deviation:
    case Statistic::sample_variance:
    case Statistic::sample_standard_deviation:
    case Statistic::standard_error: return 2;
    case Statistic::quadratic_mean: return 2;
    case Statistic::skewness:
    case Statistic::sample_skewness: return 3;
    case Statistic::kurtosis:
    case Statistic::sample_kurtosis: return 4;
    default: return -1;
    }
}

double skewness_of(const PartMoments& part, bool of_sample) {
    const double n = part.count;
    const double m2 = part.squares / n;
    const double smallest = std::numeric_limits<double>::epsilon() * part.mean;
    if (n == 0 || m2 <= smallest * smallest || (of_sample && n < 3)) return kNotANumber<double>;
    const double g1 = part.cubes / n / (m2 * std::sqrt(m2));
    return of_sample ? std::sqrt(n * (n - 1)) / (n - 2) * g1 : g1;
}

double kurtosis_of(const PartMoments& part, bool of_sample) {
    const double n = part.count;
    const double m2 = part.squares / n;
    const double smallest = std::numeric_limits<double>::epsilon() * part.mean;
    if (n == 0 || m2 <= smallest * smallest || (of_sample && n < 4)) return kNotANumber<double>;
    const double g2 = part.fourths / n / (m2 * m2) - 3;
    return of_sample ? (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6) : g2;
}

/// The root of the mean of squares: the squares of a mean far from 0 may overflow where those of
/// deviations from it do not.
double quadratic_mean_of(const PartMoments& part) {
    const double mean_square = part.mean * part.mean + part.squares / part.count;
    return std::isfinite(mean_square) ? std::sqrt(mean_square)
                                      : std::hypot(part.mean, std::sqrt(part.squares / part.count));
}

double from_moments(Statistic statistic, const PartMoments& part) {
    const double n = part.count;
    const auto in_units = [&](double x, int power = 1) { return part.in_units(x, power); };
    const double of_sample = n > 1 ? part.squares / (n - 1) : kNotANumber<double>;
    switch (statistic) {
    case Statistic::count: return n;
    case Statistic::sum: return part.sum;
    case Statistic::mean: return n == 0 ? kNotANumber<double> : in_units(part.mean);
    case Statistic::min: return n == 0 ? kNotANumber<double> : part.least;
    case Statistic::max: return n == 0 ? kNotANumber<double> : part.greatest;
    case Statistic::variance: return in_units(part.squares / n, 2); // 0 / 0 is NaN
    case Statistic::standard_deviation: return in_units(std::sqrt(part.squares / n));
    case Statistic::sample_variance: return in_units(of_sample, 2);
    case Statistic::sample_standard_deviation: return in_units(std::sqrt(of_sample));
    case Statistic::standard_error: return in_units(std::sqrt(of_sample / n));
    case Statistic::quadratic_mean:
        if (!std::isfinite(part.mean))
            return std::isnan(part.least) ? kNotANumber<double> : kInfiniteNumber<double>;
        return in_units(quadratic_mean_of(part));
    case Statistic::skewness: return skewness_of(part, false);
    case Statistic::sample_skewness: return skewness_of(part, true);
    case Statistic::kurtosis: return kurtosis_of(part, false);
    case Statistic::sample_kurtosis: return kurtosis_of(part, true);
    default: return kNotANumber<double>;
    }
}

MomentsWanted moments_for(std::span<const Statistic> statistics) {
    MomentsWanted wanted{0, false};
    for (const Statistic statistic : statistics) {
        wanted.power = std::max(wanted.power, power_of(statistic));
        wanted.extremes |= statistic == Statistic::min || statistic == Statistic::max ||
                           statistic == Statistic::quadratic_mean;
    }
    return wanted;
}

/// One number for each group.
using GroupValues = std::vector<double>;

class GroupStatistics {
public:
    GroupStatistics(const ReducedView& view, std::span<const Statistic> statistics)
        : view_(view),
          floats_(cast_operand(view.operand, float64, Op::cast)),
          group_(view.groups == 0 ? 0 : view.operand.dims.size() / view.groups) {
        const MomentsWanted wanted = moments_for(statistics);
        for (const Statistic statistic : statistics)
            if (statistic >= Statistic::lower_quartile) add_place(statistic);
        if (wanted.power > 0) {
            moments_.resize(static_cast<std::size_t>(view.groups));
            moments(floats_, view.groups, wanted, moments_.data());
        }
        if (!quartiles_.empty()) select();
    }

    GroupValues operator()(Statistic statistic) const {
        GroupValues values(static_cast<std::size_t>(view_.groups));
        if (power_of(statistic) > 0) {
            for (std::size_t g = 0; g < values.size(); ++g)
                values[g] = from_moments(statistic, moments_[g]);
        } else if (statistic == Statistic::geometric_mean) {
            const Operand logarithms = unary_operand(Op::log, floats_, float64);
            values = means_of(logarithms);
            for (double& value : values) value = std::exp(value);
        } else if (statistic == Statistic::harmonic_mean) {
            values = harmonic_means();
        } else {
            const std::size_t width = quartiles_.size();
            const auto at = static_cast<std::size_t>(std::ranges::find(quartiles_, statistic) -
                                                     quartiles_.begin());
            for (std::size_t g = 0; g < values.size(); ++g)
                values[g] = group_ == 0 ? kNotANumber<double> : selected_[g * width + at];
        }
        return values;
    }

private:
    void add_place(Statistic statistic) {
        if (std::ranges::find(quartiles_, statistic) == quartiles_.end())
            quartiles_.push_back(statistic);
    }

    void select() {
        GroupValues shares;
        for (const Statistic statistic : quartiles_)
            shares.push_back(statistic == Statistic::lower_quartile ? 0.25
                             : statistic == Statistic::median       ? 0.5
                                                                    : 0.75);
        const Operand found = quantile_operand("descriptive_statistics", view_, shares, 1, true,
                                               QuantileMethod::linear);
        selected_.resize(shares.size() * static_cast<std::size_t>(view_.groups));
        if (selected_.empty()) return;
        Evaluation(cast_operand(found, float64, Op::cast))
            .read(0, std::ssize(selected_), selected_.data());
    }

    GroupValues means_of(const Operand& x) const {
        GroupValues sums(static_cast<std::size_t>(view_.groups));
        if (!sums.empty()) reduce_groups(Reduction::sum, x, view_.groups, sums.data());
        for (double& total : sums)
            total = group_ == 0 ? kNotANumber<double> : total / static_cast<double>(group_);
        return sums;
    }

    /// Reciprocals of the smallest numbers are infinite, and so may be their sum: such groups are
    /// computed once more from their elements divided by the least.
    GroupValues harmonic_means() const {
        GroupValues values = means_of(reciprocals(floats_));
        const auto is_lost = [](double mean) { return mean == kInfiniteNumber<double>; };
        if (group_ > 0 && std::ranges::any_of(values, is_lost)) {
            GroupValues least = extreme_magnitudes(floats_, view_.groups, Reduction::minimum);
            for (std::size_t g = 0; g < least.size(); ++g)
                if (!is_lost(values[g]) || !(least[g] > 0)) least[g] = 1;
            const GroupValues again =
                means_of(reciprocals(with_numbers_of_groups(Op::divide, floats_, least)));
            for (std::size_t g = 0; g < least.size(); ++g)
                values[g] = least[g] == 1 ? 1 / values[g] : least[g] / again[g];
            return values;
        }
        for (double& value : values) value = 1 / value;
        return values;
    }

    /// The reciprocals of floats; NaN for negative elements, which -0 is not.
    static Operand reciprocals(const Operand& x) {
        const auto number = [](double value) { return constant_operand<double>(value); };
        return choose_operand(
            binary_operand(Op::less, x, number(0), float64, boolean), number(kNotANumber<double>),
            binary_operand(Op::divide, number(1), unary_operand(Op::absolute, x, float64), float64,
                           float64),
            float64);
    }

    const ReducedView& view_;
    Operand floats_;
    index_t group_;
    std::vector<PartMoments> moments_;
    std::vector<Statistic> quartiles_; ///< asked for, each once
    GroupValues selected_;
};

template <typename R>
Operand values_in_memory(const GroupValues& values, const ReducedView& view) {
    BufferPtr<R> buffer = allocate_uninitialized_buffer<R>(view.groups);
    std::ranges::transform(values, static_cast<R*>(buffer->writable_memory().data),
                           [](double value) { return static_cast<R>(value); });
    return operand_over(std::move(buffer), Dimensions::row_major(view.shape));
}

void check_source(const char* what, const Operand& source) {
    if (!source.dtype().is_builtin()) throw_dtype_unsupported(what, source.dtype());
    if (source.node->reads(Below::symbol)) throw_no_elements(*source.node, what);
    require_not_sparse(what, source);
}

} // namespace

void throw_missing_statistic(Statistic statistic) {
    throw IndexError(
        fmt::format("descriptive_statistics: {} was not asked for", name_of(statistic)));
}

Operand statistics_of(const char* what, const ReducedView& view,
                      std::span<const Statistic> statistics) {
    check_source(what, view.operand);
    const GroupStatistics statistics_by_group(view, statistics);
    Shape shape = view.shape;
    shape.push_back(std::ssize(statistics));
    const MutableTensor<double> made = empty<double>(shape);
    if (made.empty()) return made.operand();
    double* const out = as_span(made).data();
    for (std::size_t s = 0; s < statistics.size(); ++s) {
        const GroupValues values = statistics_by_group(statistics[s]);
        for (std::size_t g = 0; g < values.size(); ++g) out[g * statistics.size() + s] = values[g];
    }
    return made.operand();
}

namespace {

class OneStatistic final : public BuiltInReduction {
public:
    constexpr OneStatistic(Statistic statistic, MomentsReducer::Number number) noexcept
        : BuiltInReduction(name_of(statistic)), statistic_(statistic), number_(number) {}

    DType result_of(DType element) const override { return element == float32 ? float32 : float64; }
    void run(ReducedView view, DType result, void* out) const override {
        check_source(name(), view.operand);
        if (const auto by = reducer(view.operand.dtype(), false))
            return reduce_groups(*by, view.operand, view.groups, out);
        const GroupValues values = GroupStatistics(view, std::span(&statistic_, 1))(statistic_);
        if (result == float32)
            std::ranges::transform(values, static_cast<float*>(out),
                                   [](double value) { return static_cast<float>(value); });
        else
            std::ranges::copy(values, static_cast<double*>(out));
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        check_source(name(), view.operand);
        BuiltInReduction::run_on_non_nan(std::move(view), out);
    }
    bool has_bits_of_reducer(DType, bool skips_nan) const override {
        return power_of(statistic_) >= 0 && !skips_nan;
    }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        if (!element.is_builtin()) throw_dtype_unsupported(name(), element);
        if (power_of(statistic_) < 0) return nullptr;
        const std::array all{statistic_};
        MomentsWanted wanted = moments_for(all);
        wanted.skips_nan = skips_nan;
        return std::make_unique<MomentsReducer>(name(), result_of(element), wanted, number_);
    }
    bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
              void* out) const override {
        if (statistic_ == Statistic::standard_error)
            return roll_variances_of(name(), lanes, width, step,
                                     {1, true, true, nan == NanRule::skip}, out);
        return statistic_ == Statistic::quadratic_mean &&
               roll_squares(name(), lanes, width, step, true, true, nan, out);
    }

private:
    Statistic statistic_;
    MomentsReducer::Number number_;
};

template <Statistic statistic>
double number_from(const PartMoments& part) {
    return from_moments(statistic, part);
}

class MostFrequent final : public BuiltInReduction {
public:
    constexpr MostFrequent() noexcept : BuiltInReduction(MostFrequentOperation::kName) {}

    DType result_of(DType element) const override { return element; }
    void run(ReducedView view, DType result, void* out) const override {
        if (view.groups == 1 && most_frequent_in_files(view.operand, out)) return;
        visit_dtype(result, name(), [&]<typename T>(std::type_identity<T>) {
            MostFrequentOperation::run<T>(view, static_cast<T*>(out));
        });
    }
};

} // namespace

const BuiltInReduction& statistic_reduction(Statistic statistic) {
    static constexpr auto kAll = []<std::size_t... i>(std::index_sequence<i...>) {
        return std::array{
            OneStatistic(static_cast<Statistic>(i), number_from<static_cast<Statistic>(i)>)...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(Statistic::upper_quartile) + 1>());
    return kAll[static_cast<std::size_t>(statistic)];
}

StatisticList::StatisticList(std::initializer_list<Statistic> list) : statistics(list) {}
StatisticList::StatisticList()
    : statistics{Statistic::count,
                 Statistic::mean,
                 Statistic::sample_standard_deviation,
                 Statistic::min,
                 Statistic::lower_quartile,
                 Statistic::median,
                 Statistic::upper_quartile,
                 Statistic::max} {}

const BuiltInReduction& MostFrequentOperation::built_in() {
    static constexpr MostFrequent kMostFrequent;
    return kMostFrequent;
}

Operand moment_operand(const ReducedView& view, int order) {
    if (order < 0) throw Error(fmt::format("moment: order {} is negative", order));
    check_source("moment", view.operand);
    Operand floats = cast_operand(view.operand, float64, Op::cast);
    std::vector<PartMoments> parts(static_cast<std::size_t>(view.groups));
    const MomentsWanted wanted{std::min(order, 4), false};
    moments(floats, view.groups, wanted, parts.data());
    const bool scaled = std::ranges::any_of(parts, &PartMoments::exponent);
    if (scaled) {
        std::vector<double> factors;
        for (const PartMoments& part : parts)
            factors.push_back(std::ldexp(1., -static_cast<int>(part.exponent)));
        floats = with_numbers_of_groups(Op::multiply, floats, factors);
    }
    GroupValues values(parts.size());
    if (order > 4) {
        // The differences from the means, which are repeated along the reduced axes (the last
        // ones).
        std::vector<double> means;
        for (const PartMoments& part : parts) means.push_back(part.mean);
        const ReducedView flat{{}, {view.groups}, view.groups};
        const Operand centre{brought_to(floats, values_in_memory<double>(means, flat)).node,
                             dimensions::repeated_groups(floats.dims.max_shape(), view.groups)};
        const Operand off = binary_operand(Op::subtract, floats, centre, float64, float64);
        // Exponentiation by squaring, from the highest bit of the order: a square for each bit, and
        // a factor where the bit is set.
        Operand power = off;
        for (auto bit = std::bit_floor(static_cast<unsigned>(order)) / 2; bit > 0; bit /= 2) {
            power = unary_operand(Op::square, power, float64);
            if ((static_cast<unsigned>(order) & bit) != 0)
                power = binary_operand(Op::multiply, power, off, float64, float64);
        }
        if (view.groups > 0) reduce_groups(Reduction::sum, power, view.groups, values.data());
    }
    for (std::size_t g = 0; g < parts.size(); ++g) {
        const PartMoments& part = parts[g];
        const bool unordered = !std::isfinite(part.mean);
        const double total = order == 0   ? part.count
                             : order == 1 ? (unordered ? kNotANumber<double> : 0)
                             : order == 2 ? part.squares
                             : order == 3 ? part.cubes
                             : order == 4 ? part.fourths
                                          : values[g];
        values[g] = part.in_units(total / part.count, order);
    }
    return view.operand.dtype() == float32 ? values_in_memory<float>(values, view)
                                           : values_in_memory<double>(values, view);
}

} // namespace purview
