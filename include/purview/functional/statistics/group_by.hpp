#pragma once

#include <purview/evaluation/row_groups.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/time_counts.hpp>
#include <purview/functional/statistics/arggroup.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/views.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// A reducer that gives the number of rows of each group, int64.
struct GroupSize {};
inline constexpr GroupSize group_size;

/// Which fold of the engine, computed while it reads rows, a reduction is, if it is one.
template <typename Operation>
inline constexpr std::optional<GroupFold> kGroupFold{};
template <>
inline constexpr std::optional<GroupFold> kGroupFold<FoldOperation<SumFold>> = GroupFold::of_sum;
template <>
inline constexpr std::optional<GroupFold> kGroupFold<FoldOperation<ProductFold>> =
    GroupFold::of_product;
template <>
inline constexpr std::optional<GroupFold> kGroupFold<FoldOperation<MinFold>> =
    GroupFold::of_minimum;
template <>
inline constexpr std::optional<GroupFold> kGroupFold<FoldOperation<MaxFold>> =
    GroupFold::of_maximum;
template <>
inline constexpr std::optional<GroupFold> kGroupFold<MeanOperation> = GroupFold::of_mean;

/// The reductions of the values of each group that are not NaN; where there is none, mean, minimum
/// and maximum are NaN.
PURVIEW_EXPORT Operand fold_non_nan(const RowGroups& groups, GroupFold fold, const Operand& values);

/// Rows grouped by keys that are not numbers, and the key of each group. Lazy.
struct KeyedRows {
    RowGroups groups;
    Operand keys;
};
/// By the runs of equal keys.
PURVIEW_EXPORT KeyedRows keyed_rows(const SortedRuns& runs, bool ordered);
/// By strings, compared byte by byte, with a hash table. O(bytes). Throws `ShapeError` for 2³¹ rows
/// or more.
PURVIEW_EXPORT KeyedRows rows_by_strings(const Operand& keys, bool ordered);

/// Throws `ShapeError` unless keys and values have the same shape.
PURVIEW_EXPORT void check_rows(const Operand& keys, const Operand& values);

/// The values of rows, arranged by group once, for all functions that take them.
struct GroupedValues {
    Operand values;              ///< in memory, `[rows]`
    std::vector<index_t> begins; ///< where each group begins, and the end; empty: not arranged yet
};
/// The values of rows, arranged by group, `[rows]`, and where groups begin. Lazy.
PURVIEW_EXPORT Operand arranged_values(const RowGroups& groups, const Operand& values,
                                       std::vector<index_t>& begins);

/// The result of one reducer: `[groups]`.
template <TensorLike Values, typename Reducer>
auto reduced_groups(const RowGroups& groups, const Values& values, GroupedValues& grouped,
                    const Reducer& reducer) {
    using By = ReducerParts<Reducer>;
    using Operation = typename By::Operation;
    constexpr std::optional<GroupFold> kFold = kGroupFold<Operation>;
    constexpr bool kOther = TypedTensor<Values> && !BuiltinType<OperandElement<Values>>;
    if constexpr (By::kRule == NanRule::refuse) require_no_nan("group_by_reduce", values);
    if constexpr (std::is_same_v<Reducer, GroupSize>)
        return Tensor<std::int64_t>(groups.counts());
    else if constexpr (!kFold || kOther)
        return by_function("group_by_reduce", values, reducer, [&](const auto& typed) {
            using V = typename std::remove_cvref_t<decltype(typed)>::value_type;
            using R = std::decay_t<std::invoke_result_t<const Reducer&, const Tensor<V>&>>;
            std::vector<index_t>& begins = grouped.begins;
            if (begins.empty())
                grouped.values = clone(Tensor<V>(arranged_values(
                                           groups, contiguous(Tensor<V>(typed)).operand(), begins)))
                                     .operand();
            const Tensor<V> arranged(grouped.values);
            const MutableTensor<R> results = empty<R>({groups.size()});
            for (std::size_t group = 0; R & result : as_span(results)) {
                result = reducer(arranged(range(begins[group], begins[group + 1])));
                ++group;
            }
            return Tensor<R>(results);
        });
    else if constexpr (By::kRule == NanRule::skip)
        return as_tensor<ReducedTo<Operation, Values>>(
            fold_non_nan(groups, *kFold, values.operand()));
    else
        return as_tensor<ReducedTo<Operation, Values>>(groups.fold(*kFold, values.operand()));
}

/// Keys and values: a tensor or an array, without dims that are bound.
template <typename X>
concept row_array = array_like<X> && PlainOrOrdered<AsTensorArgument<std::remove_cvref_t<X>>> &&
    !kDefersReductions<std::remove_cvref_t<X>>;
/// What may reduce groups. Values of several columns are reduced one by one.
template <typename R>
concept group_reducer = !array_like<R> && !TextLike<R> && !requires {
    std::tuple_size<R>::value;
};

#define PURVIEW_NO_GROUPING                                   \
 "keys come first, then the values, then what reduces them: " \
 "group_by_reduce(keys, values, sum, group_size)"
/// The calls of `group_by_reduce` that are refused.
struct RefusedGroupings {
    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED(PURVIEW_NO_GROUPING, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                    AnyArgument = {}, AnyArgument = {}) const);
    template <array_like K, array_like V, TextLike... Reducers>
        requires(sizeof...(Reducers) > 0)
    PURVIEW_REFUSED("an argument is text, where a tensor or an array is taken, or what reduces it",
                    operator()(const K&, const V&, const Reducers&...) const);
};
#undef PURVIEW_NO_GROUPING

/// `group_by_reduce(keys, values, reducers…)`: reduces the values of equal keys. Returns a tuple of
/// the keys, `[groups]`, and for each reducer its results, `[groups]`:
///
///     const auto [keys, totals, sizes] = group_by_reduce(shops, sales, sum, group_size);
///
/// A reducer is `sum`, `product`, `mean`, `min`, `max` or `group_size`, which are computed while
/// rows are read, or any function of a tensor of the values of a group, `[rows]`, in their order, as
/// `median`; for these, values are arranged by group once. Result types and the treatment of NaN are
/// those of the reducers. Or a stage of keys, `keys | group_by_reduce(values, sum)`.
///
/// Groups are in the order of their keys, or, by `unordered_group_by_reduce`, in that in which they
/// appear first. Keys are of any type with `<`, those of an `AnyTensor` numbers or strings; -0
/// equals 0, NaNs are one group, the last. Keys and values have one shape, and row-major order.
///
/// Eager. O(rows): integers, days and times in a range of at most twice the number of rows index a
/// table; other numbers, and strings, are looked up in a hash table; users' types are compared by
/// `<`. On several threads, with the same result. Throws `ShapeError`, `DtypeError`.
template <bool ordered>
struct GroupByFunction : RefusedGroupings {
    using RefusedGroupings::operator();

    template <row_array Keys, row_array Values, group_reducer... Reducers>
        requires(sizeof...(Reducers) > 0)
    auto operator()(const Keys& given, const Values& given_values,
                    const Reducers&... reducers) const {
        const auto& key_array = tensor_for_call(given);
        const auto& value_array = tensor_for_call(given_values);
        return grouped(plain_tensor(key_array), plain_tensor(value_array), reducers...);
    }
    template <row_array Values, group_reducer... Reducers>
        requires(sizeof...(Reducers) > 0)
    auto operator()(Values&& values, const Reducers&... reducers) const {
        return make_stage(*this, as_tensor(std::forward<Values>(values)), reducers...);
    }

private:
    template <TensorLike Keys, TensorLike Values, typename... Reducers>
    static auto grouped(const Keys& keys, const Values& values, const Reducers&... reducers) {
        check_rows(keys.operand(), values.operand());
        using K = ElementOrVoid<Keys>;
        using Count = typename KeyCount<K>::type;
        if constexpr (!std::is_void_v<Count>) {
            // Times sort as the integers that count them.
            auto results = grouped(same_bytes<Canonical<Count>>(keys), values, reducers...);
            return std::apply(
                [](const auto& counts, auto&... rest) {
                    return std::tuple{Tensor<K>(same_bytes<K>(counts)), std::move(rest)...};
                },
                results);
        } else {
            GroupedValues of_groups;
            const auto by_keys = [&](const KeyedRows& keyed) {
                return std::tuple{as_tensor<K>(clone(as_tensor<K>(keyed.keys)).operand()),
                                  reduced_groups(keyed.groups, values, of_groups, reducers)...};
            };
            if constexpr (std::is_void_v<K> || std::same_as<K, std::string>)
                if (keys.dtype() == kDType<std::string>)
                    return by_keys(rows_by_strings(keys.operand(), ordered));
            if constexpr (!kIsNumberOrVoid<K>) {
                return by_keys(
                    keyed_rows(sorted_runs<K>("group_by_reduce", keys.operand()), ordered));
            } else {
                const RowGroups groups(keys.operand(), ordered);
                // `groups.keys()` comes last, because the first reducer may determine the groups
                // while it counts rows.
                std::tuple results{reduced_groups(groups, values, of_groups, reducers)...};
                return std::tuple_cat(std::tuple{as_tensor<K>(groups.keys())}, std::move(results));
            }
        }
    }
};
inline constexpr GroupByFunction<true> group_by_reduce;
inline constexpr GroupByFunction<false> unordered_group_by_reduce;

} // namespace purview
