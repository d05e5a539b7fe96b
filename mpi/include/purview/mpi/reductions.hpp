#pragma once

#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/mpi/distributed.hpp>

#include <type_traits>
#include <utility>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same expression: see moving.hpp.

/// The results of everything, in memory of a shape without axes, or with that of a list: the expression is
/// evaluated once for all. `what` is named in errors.
PURVIEW_MPI_EXPORT std::vector<Operand>
reduce_whole(const char* what, std::span<const ChosenReducer> reducers, const Operand& e);
/// Over axes; in one pass over the expression where all take elements in the same order.
PURVIEW_MPI_EXPORT std::vector<AnyDistributed>
reduce_over_axes_any(const char* what, std::span<const ChosenReducer> reducers, const Operand& e,
                     const ChosenAxes& chosen);
/// Option: the exact sum, rounded once.
struct Reproducible {};
inline constexpr Reproducible reproducible;

/// The Frobenius norm.
struct NormOperation {
    static constexpr const char* kName = "norm";
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return magnitude_reduction(true); }
};

/// Whether an operation reduces elements of a type over ranks: numbers, whose type is known now or
/// (void) at run time, and complex ones that it adds or multiplies.
template <typename Operation, typename T>
inline constexpr bool kReducesOverRanks = kIsNumberOrVoid<T>;
template <typename Operation, KernelComplex T>
inline constexpr bool kReducesOverRanks<Operation, T> = kReduces<Operation, T>;

/// The type of the results of an operation; void for a type that is known at run time.
template <typename Operation, typename E>
using ReducedOverRanksTo = typename ReducedElement<Operation, Widened<ElementOfWhole<E>>>::type;

template <typename E, typename Operation>
concept ReducedOverRanks = !AxisLike<E> && std::convertible_to<const E&, Whole> &&
                           kReducesOverRanks<Operation, Widened<ElementOfWhole<E>>>;

template <typename A, typename Operation>
concept ReductionOption = ReduceOption<A> ||
    (std::same_as<A, Reproducible>&& std::same_as<Operation, FoldOperation<SumFold>>);

/// The function object of a reduction: over everything a number, which all ranks get, over axes a
/// distributed tensor.
template <typename Operation>
struct ReduceOverRanks {
    template <ReducedOverRanks<Operation> E, typename... A>
        requires((AxisLike<A> || ReductionOption<A, Operation>)&&...)
    auto operator()(const E& e, const A&... given) const {
        if constexpr (((std::same_as<A, Reproducible> || NanPolicy<A>)&&...))
            return number(reduction<A...>(), e, kRuleAmong<NanRule::keep, A...>);
        else
            return over_axes(reduction<A...>(), e, chosen(ChosenAxes(), given...));
    }
    template <ReducedOverRanks<Operation> E, ReductionOption<Operation>... O>
    auto operator()(const E& e, const Axes& axes, const O&... options) const {
        ChosenAxes given;
        given.axes = axes;
        given.given = true;
        return over_axes(reduction<O...>(), e, chosen(std::move(given), options...));
    }

private:
    template <typename... A>
    static const BuiltInReduction& reduction() {
        if constexpr ((std::same_as<A, Reproducible> || ...)) return exact_sum_reduction();
        return Operation::built_in();
    }
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
    template <typename E>
    static auto over_axes(const BuiltInReduction& by, const E& e, const ChosenAxes& axes) {
        const ChosenReducer reducer{&by, nullptr, axes.nan};
        return DistributedOf<ReducedOverRanksTo<Operation, E>>(
            reduce_over_axes_any(Operation::kName, {&reducer, 1}, Whole(e).operand(), axes)[0]);
    }
    template <typename E>
    static auto number(const BuiltInReduction& by, const E& e, NanRule nan) {
        using R = ReducedOverRanksTo<Operation, E>;
        const ChosenReducer reducer{&by, nullptr, nan};
        const Operand element =
            reduce_whole(Operation::kName, {&reducer, 1}, Whole(e).operand())[0];
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
/// Sends ⌈log₂ P⌉ messages from a rank at most, of one element (`reproducible`: 592 bytes; of complex numbers twice that; means and extremes
/// with `skip_nan`: two numbers); over axes one, of its part of the
/// result; and what evaluating e takes. Throws `DistributionError` where nothing below e is distributed (nor
/// where its views see the fill of a `pad` alone), and for a result without axes; `IndexError` for axes that there are not, or
/// twice; `DimError` for a Dim; `DtypeError` for elements that are no numbers, and for complex ones but for
/// `sum`, `product` and `mean`; and what e throws.
inline constexpr ReduceOverRanks<FoldOperation<SumFold>> sum;
/// The product; otherwise as `sum`.
inline constexpr ReduceOverRanks<FoldOperation<ProductFold>> product;
/// The mean, of integers a float64: the sum divided by the number of elements. NaN of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<MeanOperation> mean;
/// The mean of the squared differences from the mean, computed in float64: moments of parts are joined by the formulae of
/// Pébay (2008). NaN of no elements, and where an element is not finite. Otherwise as `sum`; messages have six
/// numbers for an element.
inline constexpr ReduceOverRanks<VarianceOperation<false, false>> variance;
/// The variance of a sample: divided by the number of elements minus one. NaN for one element.
inline constexpr ReduceOverRanks<VarianceOperation<true, false>> sample_variance;
/// The square root of `variance`.
inline constexpr ReduceOverRanks<VarianceOperation<false, true>> standard_deviation;
/// The square root of `sample_variance`.
inline constexpr ReduceOverRanks<VarianceOperation<true, true>> sample_standard_deviation;
/// The square root of the sum of squares, of everything or over axes (`purview::norm` with `NormOrder::frobenius()`), which
/// does not overflow before its result does: of integers a float64. Otherwise as `sum`.
inline constexpr ReduceOverRanks<NormOperation> norm;
/// The smallest element; NaN wins. Throws `ShapeError` where there is none to choose from. Otherwise as `sum`.
inline constexpr ReduceOverRanks<FoldOperation<MinFold>> min;
/// The greatest element; otherwise as `min`.
inline constexpr ReduceOverRanks<FoldOperation<MaxFold>> max;
/// Whether any element is true, not zero: false of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<FoldOperation<AnyFold>> any_of;
/// Whether all elements are: true of none. Otherwise as `sum`.
inline constexpr ReduceOverRanks<FoldOperation<AllFold>> all_of;
/// How many elements are true, as int64. Otherwise as `sum`.
inline constexpr ReduceOverRanks<CountOperation> count_true;
/// The index in the whole of the smallest element, the first of equal ones, or of the first NaN: row-major, over several axes
/// in the order in which they are named. Throws `ShapeError` where there is none. Otherwise as `sum`; messages have two numbers
/// for an element.
inline constexpr ReduceOverRanks<ArgOperation<Extreme::least>> argmin;
/// The index of the greatest element; otherwise as `argmin`.
inline constexpr ReduceOverRanks<ArgOperation<Extreme::greatest>> argmax;

/// The function object of `reduce`.
struct ReduceByOverRanks {
    template <typename E, ReduceArgument... A>
        requires(!AxisLike<E> && std::convertible_to<const E&, Whole> && kNamesReducers<A...>)
    auto operator()(const E& e, const A&... given) const {
        return each < (AxisLike<A> || ...) ||
               (std::same_as<A, KeepDims> || ...) > (e, ChosenAxes(), given...);
    }
    template <typename E, ReduceArgument... A>
        requires(!AxisLike<E> && std::convertible_to<const E&, Whole> && kNamesReducers<A...>)
    auto operator()(const E& e, const Axes& axes, const A&... given) const {
        return each<true>(e, ChosenAxes::of(axes), given...);
    }

private:
    template <bool over_axes, typename E, typename... A>
    static auto each(const E& e, ChosenAxes axes, const A&... given) {
        const auto reducer = [&]<typename Given>(const Given& argument) {
            if constexpr (ReducerValue<Given>) {
                return std::tuple<const Given&>(argument);
            } else {
                axes.add(argument);
                return std::tuple<>();
            }
        };
        const auto reducers = std::tuple_cat(reducer(given)...);
        return std::apply(
            [&](const auto&... each) {
                const std::vector<ChosenReducer> chosen{chosen_reducer(each, axes.nan)...};
                const Operand x = Whole(e).operand();
                if constexpr (over_axes)
                    return distributed<E, std::decay_t<decltype(each)>...>(
                        x, axes, chosen, std::index_sequence_for<decltype(each)...>());
                else
                    return numbers<E, std::decay_t<decltype(each)>...>(
                        reduce_whole("reduce", chosen, x),
                        std::index_sequence_for<decltype(each)...>());
            },
            reducers);
    }
    template <typename E, typename R>
    using Element = typename ReducerTraits<R>::template Element<Widened<ElementOfWhole<E>>>;

    template <typename E, typename... R, std::size_t... I>
    static auto distributed(const Operand& x, const ChosenAxes& axes,
                            const std::vector<ChosenReducer>& chosen, std::index_sequence<I...>) {
        static_assert(((ReducerTraits<R>::kWidth == 0) && ...),
                      "over axes of a distributed tensor, a reducer has one result, and no list");
        const std::vector<AnyDistributed> results = reduce_over_axes_any("reduce", chosen, x, axes);
        return one_or_tuple(DistributedOf<Element<E, R>>(results[I])...);
    }
    template <typename E, typename... R, std::size_t... I>
    static auto numbers(const std::vector<Operand>& results, std::index_sequence<I...>) {
        return one_or_tuple(number<Element<E, R>, ReducerTraits<R>::kWidth>(results[I])...);
    }
    template <typename T, index_t width>
    static auto number(const Operand& result) {
        if constexpr (width > 0)
            return Tensor<T>(result);
        else if constexpr (std::is_void_v<T>)
            return AnyScalar(AnyTensor(result));
        else
            return static_cast<T>(Tensor<T>(result).item());
    }
};

/// `reduce(e, reducers…)`: several reductions of an expression, each one of the library's or one's own
/// (`purview::reducer`), as `purview::reduce` takes them:
///
///     auto [average, range] = mpi::reduce(e, mean, spread);        // numbers, on every rank
///     auto m = mpi::reduce(e, {0}, spread(skip_nan));              // a Distributed
///
/// What the expression reads of other ranks is sent once for all of them, and one message has the states of all; over
/// axes only where all keep the order of elements, or none does, and all or none are places as `argmin` is: else each is
/// reduced by itself. States are joined along a fixed tree. A reducer of one's own that does not `commute` gets elements in
/// row-major order: the expression is evaluated in blocks along one axis. Otherwise as `sum`.
inline constexpr ReduceByOverRanks reduce;

} // namespace purview
