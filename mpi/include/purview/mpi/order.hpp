#pragma once

#include <purview/evaluation/sorting.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/functional/statistics/histogram.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/mpi/distributed.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same arguments: see moving.hpp.

PURVIEW_MPI_EXPORT AnyDistributed sort_any(const AnyDistributed& x, index_t axis, SortOrder order);
PURVIEW_MPI_EXPORT AnyDistributed argsort_any(const AnyDistributed& x, index_t axis,
                                              SortOrder order);
PURVIEW_MPI_EXPORT AnyDistributed cumsum_any(const AnyDistributed& x, index_t axis, NanRule nan);
PURVIEW_MPI_EXPORT Histogram histogram_any(const AnyDistributed& x, const Bins& bins);
PURVIEW_MPI_EXPORT Operand quantile_any(const char* what, const AnyDistributed& x,
                                        std::span<const double> quantiles, double scale,
                                        QuantileMethod method, NanRule nan);

/// The policies for NaN that functions over all ranks have: `keep_nan` and `skip_nan`.
template <typename P>
concept NanPolicyOfRanks = std::same_as<P, KeepNan> || std::same_as<P, SkipNan>;

/// The elements sorted along an axis, by default the last one, as `purview::sort` of the whole gives them, bit by bit: stable, NaN
/// last in either order. New memory, distributed as x. Throws `IndexError` for an axis that there is not.
///
/// Along an axis that is not divided each rank sorts its part, and nothing is sent. Along the only axis (others of extent 1 do not
/// count) each rank sorts its part, the ranks find the elements at which the parts of the result begin (an element is told from its
/// equals by its index), by sums of counts, about ten for float64, and each element is sent at most once, to where it belongs: so a rank gets
/// exactly its part, and takes memory for two parts, of which one is the result. Of a cyclic distribution the result comes in
/// blocks, and is sent a second time. Along a divided axis among others x is redistributed, so that this axis is whole on
/// each rank, sorted, and redistributed back: where there are fewer lanes than ranks, some ranks have none meanwhile.
template <BuiltinType T>
Distributed<T> sort(const Distributed<T>& x, index_t axis, SortOrder order = ascending) {
    return Distributed<T>(sort_any(x, axis, order));
}
template <BuiltinType T>
Distributed<T> sort(const Distributed<T>& x, SortOrder order = ascending) {
    return Distributed<T>(sort_any(x, -1, order));
}

/// The indexes in the whole that sort the elements along an axis, int64, distributed as x: those that `purview::argsort` of the whole
/// gives. Each element that is sent goes with its index. Otherwise as `sort`.
template <BuiltinType T>
Distributed<std::int64_t> argsort(const Distributed<T>& x, index_t axis,
                                  SortOrder order = ascending) {
    return Distributed<std::int64_t>(argsort_any(x, axis, order));
}
template <BuiltinType T>
Distributed<std::int64_t> argsort(const Distributed<T>& x, SortOrder order = ascending) {
    return Distributed<std::int64_t>(argsort_any(x, -1, order));
}

/// The sum of each element and all before it along an axis, by default the last one: memory of the type that `purview::cumsum` has,
/// distributed as x; integers are equal to its results, of the whole, floats but for the order in which they are added, which depends
/// on the distribution alone. With `skip_nan` NaNs are left out. Along an axis that is not divided nothing is sent; else the sums of lanes of
/// lower ranks, in ⌈log₂ P⌉ messages of a number for each lane. Along an axis that is dealt out cyclically x is redistributed to
/// blocks, and the result back. Throws `IndexError`.
template <BuiltinType T, NanPolicyOfRanks P = KeepNan>
auto cumsum(const Distributed<T>& x, index_t axis, P = {}) {
    return Distributed<SumFold::Result<T>>(cumsum_any(x, axis, kNanRule<P>));
}
template <BuiltinType T, NanPolicyOfRanks P = KeepNan>
auto cumsum(const Distributed<T>& x, P policy = {}) {
    return cumsum(x, -1, policy);
}

/// The number of elements of all ranks in each bin, and the edges, on every rank: what `purview::histogram` gives of the whole, with the
/// same bins: a number of them, `{10, low, high}`, or edges. Two sums over the ranks, of the limits and of the counts. Throws `Error` as
/// it does.
template <BuiltinType T>
Histogram histogram(const Distributed<T>& x, const Bins& bins = 10) {
    return histogram_any(x, bins);
}

/// The function object of quantiles q of [0, scale]: a number, or, of a list of them, `[k]`.
template <int scale>
struct QuantileOfRanks {
    template <BuiltinType T, std::convertible_to<double> Q, NanPolicyOfRanks P = KeepNan>
    Averaged<T> operator()(const Distributed<T>& x, const Q& q, QuantileMethod method,
                           P = {}) const {
        const auto share = static_cast<double>(q);
        return Tensor<Averaged<T>>(quantile_any(kName, x, {&share, 1}, scale, method, kNanRule<P>))(
            0);
    }
    template <BuiltinType T, std::convertible_to<double> Q, NanPolicyOfRanks P = KeepNan>
    Averaged<T> operator()(const Distributed<T>& x, const Q& q, P policy = {}) const {
        return (*this)(x, q, QuantileMethod::linear, policy);
    }
    template <BuiltinType T, NanPolicyOfRanks P = KeepNan>
    MutableTensor<Averaged<T>> operator()(const Distributed<T>& x, const QuantileList& list,
                                          QuantileMethod method, P = {}) const {
        return MutableTensor<Averaged<T>>(quantile_any(kName, x, list, scale, method, kNanRule<P>));
    }
    template <BuiltinType T, NanPolicyOfRanks P = KeepNan>
    MutableTensor<Averaged<T>> operator()(const Distributed<T>& x, const QuantileList& list,
                                          P policy = {}) const {
        return (*this)(x, list, QuantileMethod::linear, policy);
    }

private:
    static constexpr const char* kName = scale == 100 ? "percentile" : "quantile";
};

/// The value below which a fraction q of all elements lies, of all ranks', on every rank: a number, float32 for float32, else float64,
/// bit by bit that of `purview::quantile` of the whole. NaN where there is a NaN, unless `skip_nan` is given, or no elements. A
/// method other than `linear` follows q. Of a list of fractions `[k]`, in the time of about one. By selection: in each of six steps (for float64; for narrower types fewer) ranks count their elements, and the
/// counts, 16 KiB for each element that is looked for, are summed; no elements are sent. Memory for an eighth of the part, and of the part where it
/// is not contiguous. One rank alone selects as `purview::quantile` does. Throws `Error` for a q outside of [0, 1].
inline constexpr QuantileOfRanks<1> quantile;
/// The same of a percentage, in [0, 100].
inline constexpr QuantileOfRanks<100> percentile;
/// The middle element, or the mean of the two middle ones. Otherwise as `quantile(x, 0.5)`.
template <BuiltinType T, NanPolicyOfRanks P = KeepNan>
Averaged<T> median(const Distributed<T>& x, P = {}) {
    constexpr double kHalf = 0.5;
    return Tensor<Averaged<T>>(
        quantile_any("median", x, {&kHalf, 1}, 1, QuantileMethod::linear, kNanRule<P>))(0);
}

/// What `unique_all` gives of elements of a type known at run time.
struct UniqueOfAny {
    Operand values;
    Operand first_indexes;
    Operand counts;
    std::optional<AnyDistributed> inverse;
};
PURVIEW_MPI_EXPORT UniqueOfAny unique_any(const AnyDistributed& x, bool with_indexes);

/// The result of `unique_all`: all but the inverse is on every rank.
template <BuiltinType T>
struct UniqueOfRanks {
    MutableTensor<T> values; ///< each element once, ascending, `[k]`
    MutableTensor<std::int64_t>
        first_indexes;                  ///< the first row-major index in the whole of each, `[k]`
    Distributed<std::int64_t> inverse;  ///< positions in `values`, distributed as x
    MutableTensor<std::int64_t> counts; ///< how often each occurs, `[k]`
};

/// Each distinct element of all ranks' once, ascending, in memory on every rank, `[k]`: what `purview::unique` gives of the whole. All NaNs are
/// one element, the last; 0 and -0 are one, that which comes first in the whole. Each rank finds those of its part, which are merged along a binary tree and sent to
/// all along it: 24 bytes for each distinct element of a message. Where most elements differ, `sort` leaves them distributed: distinct ones are those that
/// differ from the one before.
template <BuiltinType T>
MutableTensor<T> unique(const Distributed<T>& x) {
    return MutableTensor<T>(unique_any(x, false).values);
}
/// The same, with the first index of each, its number of occurrences, and for each element of x its position among them. 8 bytes more in messages.
template <BuiltinType T>
UniqueOfRanks<T> unique_all(const Distributed<T>& x) {
    using Integers = MutableTensor<std::int64_t>;
    UniqueOfAny all = unique_any(x, true);
    return {MutableTensor<T>(std::move(all.values)), Integers(std::move(all.first_indexes)),
            Distributed<std::int64_t>(*std::move(all.inverse)), Integers(std::move(all.counts))};
}

/// What gives a column of the results: a reducer, or, with none, the number of rows.
struct GroupColumn {
    ChosenReducer by;
    DType result;
};
PURVIEW_MPI_EXPORT std::vector<Operand> group_by_reduce_any(const AnyDistributed& keys,
                                                            const AnyDistributed& values,
                                                            std::span<const GroupColumn> columns);

/// The column that a reducer gives of elements of T.
template <typename R, typename T>
struct GroupsOverRanks {
    using Element = typename ReducerTraits<R>::template Element<T>;
    static GroupColumn column(const R& reducer) {
        return {ReducerParts<R>::chosen(reducer), kDType<Element>};
    }
};
template <typename T>
struct GroupsOverRanks<GroupSize, T> {
    using Element = std::int64_t;
    static GroupColumn column(const GroupSize&) { return {{}, int64}; }
};

/// Reduces the values of equal keys of all ranks: a tuple of the keys, `[groups]`, ascending, and for each
/// reducer its results, `[groups]`, in memory on every rank, as `purview::group_by_reduce` gives them of the whole;
/// sums of floats are added in another order, in float64. The reducers are those of `reduce` that have states, one's
/// own too, whose lists are an axis in front, and `group_size`. NaNs are one key, the last; -0 equals 0.
///
/// Each rank reduces its part, then keys and states are merged along a binary tree, and sent to all along it: 24
/// bytes for each key of a message, and the state of each reducer. Values in another distribution are redistributed
/// to that of the keys; both to blocks along their first axis for a reducer that keeps the order of rows. Throws
/// `ShapeError` for values of another shape than the keys', `KindError` for a reducer without states, as `median`, or
/// that gives places in a group, as `argmax`.
template <BuiltinType K, BuiltinType V, typename... Reducers>
    requires(sizeof...(Reducers) > 0)
auto group_by_reduce(const Distributed<K>& keys, const Distributed<V>& values,
                     const Reducers&... reducers) {
    static_assert(
        ((ReducerValue<Reducers> || std::same_as<Reducers, GroupSize>)&&...),
        "groups of several ranks are reduced by reducers, as sum, variance or reducer<T>(…), and group_size, whose "
        "states are joined; for functions bring the rows together: purview::group_by_reduce(all_gather(keys), "
        "all_gather(values), f)");
    const GroupColumn columns[] = {GroupsOverRanks<Reducers, V>::column(reducers)...};
    std::vector<Operand> results = group_by_reduce_any(keys, values, columns);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple(
            Tensor<K>(std::move(results[0])),
            Tensor<typename GroupsOverRanks<Reducers, V>::Element>(std::move(results[I + 1]))...);
    }
    (std::index_sequence_for<Reducers...>());
}

} // namespace purview
