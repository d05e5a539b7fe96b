#pragma once

#include <purview/dtype/promote.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/mpi/distributed.hpp>
#include <purview/tensor/any_scalar.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same expression: see moving.hpp.

/// What elements are reduced to.
enum class Statistic : std::uint8_t {
    sum,
    exact_sum,
    product,
    mean,
    variance,
    sample_variance,
    standard_deviation,
    sample_standard_deviation,
    norm,
    min,
    max,
    any_of,
    all_of,
    count_true,
    argmin,
    argmax,
};

/// One element in memory: the statistic of everything.
PURVIEW_MPI_EXPORT Operand reduce_whole(Statistic statistic, const Operand& e, NanRule nan);
PURVIEW_MPI_EXPORT AnyDistributed reduce_over_axes_any(Statistic statistic, const Operand& e,
                                                       const ChosenAxes& chosen);
/// Option: the exact sum, rounded once.
struct Reproducible {};
inline constexpr Reproducible reproducible;

/// The type of a statistic of elements of type T, as that of the function of the same name for tensors
/// in memory; void for void, a type known at run time.
template <Statistic statistic, typename T>
struct StatisticOfType {
    using type = std::conditional_t<
        statistic == Statistic::min || statistic == Statistic::max, T,
        std::conditional_t<
            statistic == Statistic::any_of || statistic == Statistic::all_of, bool,
            std::conditional_t<
                statistic == Statistic::count_true || statistic == Statistic::argmin ||
                    statistic == Statistic::argmax,
                std::int64_t,
                std::conditional_t<statistic >= Statistic::mean && statistic <= Statistic::norm,
                                   Averaged<T>, Accumulated<T>>>>>;
};
template <Statistic statistic>
struct StatisticOfType<statistic, void> {
    using type = void;
};
template <Statistic statistic, typename E>
using StatisticOf = typename StatisticOfType<statistic, Widened<ElementOfWhole<E>>>::type;

/// Whether elements of a type have a statistic: numbers, whose type is known now or (void) at run time.
template <Statistic statistic, typename T>
inline constexpr bool kHasStatistic = kIsNumberOrVoid<T>;
template <Statistic statistic, KernelComplex T>
inline constexpr bool kHasStatistic<statistic, T> =
    statistic == Statistic::sum || statistic == Statistic::product || statistic == Statistic::mean;

/// What is reduced to a statistic over all ranks.
template <typename E, Statistic statistic>
concept ReducedOverRanks = !AxisLike<E> && std::convertible_to<const E&, Whole> &&
                           kHasStatistic<statistic, Widened<ElementOfWhole<E>>>;

template <typename A, Statistic statistic>
concept ReductionOption = ReduceOption<A> ||
    (std::same_as<A, Reproducible>&& statistic == Statistic::sum);

/// The function object of a statistic: over everything a number, which all ranks get, over axes a
/// distributed tensor.
template <Statistic statistic>
struct ReduceOverRanks {
    template <ReducedOverRanks<statistic> E, typename... A>
        requires((AxisLike<A> || ReductionOption<A, statistic>)&&...)
    auto operator()(const E& e, const A&... given) const {
        if constexpr (((std::same_as<A, Reproducible> || NanPolicy<A>)&&...))
            return number<kStatistic<A...>>(e, kRuleAmong<NanRule::keep, A...>);
        else
            return over_axes<kStatistic<A...>>(e, chosen(ChosenAxes(), given...));
    }
    template <ReducedOverRanks<statistic> E, ReductionOption<statistic>... O>
    auto operator()(const E& e, const Axes& axes, const O&... options) const {
        ChosenAxes given;
        given.axes = axes;
        given.given = true;
        return over_axes<kStatistic<O...>>(e, chosen(std::move(given), options...));
    }

private:
    template <typename... A>
    static constexpr Statistic kStatistic = (std::same_as<A, Reproducible> || ...)
                                                ? Statistic::exact_sum
                                                : statistic;

    template <typename... A>
    static ChosenAxes chosen(ChosenAxes all, const A&... given) {
        [[maybe_unused]] const auto add = [&]<typename Given>(const Given& each) {
            if constexpr (std::same_as<Given, KeepDims>) {
                all.keep = true;
            } else if constexpr (NanPolicy<Given>) {
                all.nan = kNanRule<Given>;
            } else if constexpr (!std::same_as<Given, Reproducible>) {
                all.axes.add(each);
                all.given = true;
            }
        };
        (add(given), ...);
        return all;
    }
    template <Statistic which, typename E>
    static auto over_axes(const E& e, const ChosenAxes& axes) {
        return DistributedOf<StatisticOf<which, E>>(
            reduce_over_axes_any(which, Whole(e).operand(), axes));
    }
    template <Statistic which, typename E>
    static auto number(const E& e, NanRule nan) {
        using R = StatisticOf<which, E>;
        const Operand element = reduce_whole(which, Whole(e).operand(), nan);
        if constexpr (std::is_void_v<R>)
            return AnyScalar(AnyTensor(element));
        else
            return static_cast<R>(Tensor<R>(element).item());
    }
};

/// The sum of an expression over `x.global()` and the like, or of a distributed tensor:
///
///     sum(e)  sum(e, reproducible)                    // a number, on every rank
///     sum(e, 0)  sum(e, {0, 1}, keep_dims)            // a Distributed, of the shape that pv::sum gives
///     sum(e, skip_nan)  mean(e, 0, throw_nan)         // policies for NaN, as in memory
///
/// Types are those of `pv::sum`: integers accumulate in 64 bits, complex numbers as they are. Each rank evaluates and folds its part of the expression, where
/// the elements lie of the first distributed tensor that the expression reads: views of what is in blocks too, as long as they keep the order of
/// its divided axes, so that what lies inside, a row, every second element send nothing. Else it is in equal blocks. A number takes no
/// memory. Results are then joined along a fixed binary tree: the same bits on all ranks, and whenever the same is called on the
/// same grid, with any number of threads.
///
/// With `reproducible` the exact sum, rounded once (`pv::exact_sum`): the same bits for any number of ranks and any
/// distribution.
///
/// Over axes, ranks that differ in their places along the grid's axes of these alone join what they have, and the first of them
/// gets the elements; others have an empty part: [40 6] on a grid of [4 2] over axis 0 is [6] on ranks 0 and 1, in blocks of 3
/// on a grid of [8]. Where an axis that is kept is dealt out in turn, and becomes one with a divided one that is reduced, e
/// is evaluated in blocks. A part that needs elements of other ranks takes memory for its elements.
///
/// `skip_nan` leaves NaN out, and `throw_nan` reduces once more, to see whether there is one: an `ArithmeticError` on all ranks, with
/// the index of the first in the whole.
///
/// Sends ⌈log₂ P⌉ messages from a rank at most, of one element (`reproducible`: 584 bytes; of complex numbers twice that; means and extremes
/// with `skip_nan`: two numbers); over axes one, of its part of the
/// result; and what evaluating e takes. Throws `DistributionError` where nothing below e is distributed (nor
/// where its views see the fill of a `pad` alone), and for a result without axes; `IndexError` for axes that there are not, or
/// twice; `DimError` for a Dim; `DtypeError` for elements that are no numbers, and for complex ones but for
/// `sum`, `product` and `mean`; and what e throws.
inline constexpr ReduceOverRanks<Statistic::sum> sum;
/// The product; otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::product> product;
/// The mean, of integers a float64: the sum divided by the number of elements. NaN of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::mean> mean;
/// The mean of the squared differences from the mean, computed in float64: moments of parts are joined by the formula of Chan,
/// Golub and LeVeque (1979). NaN of no elements, and where an element is not finite. Otherwise as `sum`; messages have three
/// numbers for an element.
inline constexpr ReduceOverRanks<Statistic::variance> variance;
/// The variance of a sample: divided by the number of elements minus one. NaN for one element.
inline constexpr ReduceOverRanks<Statistic::sample_variance> sample_variance;
/// The square root of `variance`.
inline constexpr ReduceOverRanks<Statistic::standard_deviation> standard_deviation;
/// The square root of `sample_variance`.
inline constexpr ReduceOverRanks<Statistic::sample_standard_deviation> sample_standard_deviation;
/// The square root of the sum of squares, of everything or over axes (`purview::norm` with `NormOrder::frobenius()`), which
/// does not overflow before its result does: of integers a float64. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::norm> norm;
/// The smallest element; NaN wins. Throws `ShapeError` where there is none to choose from. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::min> min;
/// The greatest element; otherwise as `min`.
inline constexpr ReduceOverRanks<Statistic::max> max;
/// Whether any element is true, not zero: false of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::any_of> any_of;
/// Whether all elements are: true of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::all_of> all_of;
/// How many elements are true, as int64. Otherwise as `sum`.
inline constexpr ReduceOverRanks<Statistic::count_true> count_true;
/// The index in the whole of the smallest element, the first of equal ones, or of the first NaN: row-major, over several axes
/// in the order in which they are named. Throws `ShapeError` where there is none. Otherwise as `sum`; messages have two numbers
/// for an element.
inline constexpr ReduceOverRanks<Statistic::argmin> argmin;
/// The index of the greatest element; otherwise as `argmin`.
inline constexpr ReduceOverRanks<Statistic::argmax> argmax;

} // namespace purview
