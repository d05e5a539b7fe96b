#pragma once

#include <purview/dtype/half.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/row_groups.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/statistics/arggroup.hpp>
#include <purview/functional/statistics/large_groups.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A reducer that gives the number of rows of each group, int64.
struct GroupSize {};
inline constexpr GroupSize group_size;

/// Rows grouped by the elements of a column, `given`, and the key of each group where the groups do
/// not have it.
struct KeyedRows {
    RowGroups groups;
    Operand given;
    Operand keys;
};
/// Rows grouped by numbers, strings or times. Throws `DtypeError` for others, `ShapeError` for
/// strings of 2³¹ rows or more.
PURVIEW_EXPORT KeyedRows keyed_rows(const Operand& keys, bool ordered);
/// Rows grouped by the runs of equal keys.
PURVIEW_EXPORT KeyedRows keyed_rows(const SortedRuns& runs, const Operand& keys, bool ordered);
/// The key of each group.
PURVIEW_EXPORT Operand keys_of(const KeyedRows& rows);

/// Rows grouped by all columns together: ordered by the first, then by the second, and so on.
PURVIEW_EXPORT RowGroups rows_by_all(std::span<const KeyedRows> columns, bool ordered);
/// The elements that each of these columns has in each of the groups.
PURVIEW_EXPORT std::vector<Operand> keys_of(std::span<const KeyedRows> columns,
                                            const RowGroups& groups);

/// Throws `ShapeError` unless keys and values have the same shape, `DeviceError` for values that the CPU
/// may not read.
PURVIEW_EXPORT void check_rows(const Operand& keys, const Operand& values);

/// The values of rows, arranged by group, `[rows]`, and where groups begin. Lazy.
PURVIEW_EXPORT Operand arranged_values(const RowGroups& groups, const Operand& values,
                                       std::vector<index_t>& begins);

/// The results of a reduction of the library, of values of any type that is known at run time: `[groups]`.
/// Folds, means and counts are computed while rows are read; others of the values of each group, which are
/// arranged once.
PURVIEW_EXPORT Operand reduce_rows(const RowGroups& groups, const Operand& values,
                                   GroupedValues& grouped, const ChosenReducer& by);
/// The results of a reducer of one's own, whose states get rows in their order: `[groups]`, or of lists
/// `[list, groups]`. The states count towards the memory limit.
PURVIEW_EXPORT Operand own_groups(const RowGroups& groups, const Operand& values,
                                  const ChosenReducer& by);
/// Writes the states of the values of each group, of the reducer of elements of their type.
PURVIEW_EXPORT void fold_rows(const RowGroups& groups, const Operand& values,
                              GroupedValues& grouped, const ChosenReducer& by, std::byte* states);

/// The result of one reducer: `[groups]`.
template <TensorLike Values, typename Reducer>
auto reduced_groups(const RowGroups& groups, const Values& values, GroupedValues& grouped,
                    const Reducer& reducer) {
    using By = ReducerParts<Reducer>;
    if constexpr (By::kRule == NanRule::refuse) require_no_nan("group_by_reduce", values);
    if constexpr (std::is_same_v<Reducer, GroupSize>)
        return Tensor<std::int64_t>(groups.counts());
    else if constexpr (kIsOwnReducer<Reducer>)
        return as_tensor<std::conditional_t<
            TypedTensor<Values>, typename FinishedAs<typename Reducer::Result>::Element, void>>(
            own_groups(groups, values.operand(), By::chosen(reducer)));
    else if constexpr (kReducedByLibrary<Values, Reducer>)
        return as_tensor<ReducedTo<typename By::Operation, Values>>(
            reduce_rows(groups, values.operand(), grouped, By::chosen(reducer)));
    else
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
}

/// A reducer of groups of `Values`, which it outlives, for `large_groups`.
template <TensorLike Values, typename Reducer>
GroupReducer described_reducer(const Reducer& reducer) {
    using By = ReducerParts<Reducer>;
    using Result =
        decltype(reduced_groups(std::declval<const RowGroups&>(), std::declval<const Values&>(),
                                std::declval<GroupedValues&>(), reducer));
    GroupReducer made;
    made.gives_sizes = std::is_same_v<Reducer, GroupSize>;
    made.refuses_nan = By::kRule == NanRule::refuse;
    if constexpr (kIsOwnReducer<Reducer> || kReducedByLibrary<Values, Reducer>)
        made.chosen = By::chosen(reducer);
    else if constexpr (!std::is_same_v<Reducer, GroupSize>)
        made.storable = BuiltinType<ElementOrVoid<Result>>;
    made.in_memory = [&reducer](const RowGroups& groups, const Operand& values,
                                GroupedValues& grouped) {
        return reduced_groups(groups, as_tensor<ElementOrVoid<Values>>(values), grouped, reducer)
            .operand();
    };
    return made;
}

/// Keys and values: a tensor or an array, without dims that are bound.
template <typename X>
concept row_array = array_like<X> && PlainOrOrdered<AsTensorArgument<std::remove_cvref_t<X>>> &&
    !kDefersReductions<std::remove_cvref_t<X>>;
/// What may reduce groups.
template <typename R>
concept group_reducer = !array_like<R> && !TextLike<R> && !requires {
    std::tuple_size<R>::value;
};
/// Whether a function gives one value for the values of a group, elements of `T`; of a type known
/// at run time this shows when it is called.
template <typename R, typename T>
inline constexpr bool kReducesGroups = requires(const R& reducer, const Tensor<T>& values) {
    requires !TensorLike<decltype(reducer(values))>;
};
template <typename R>
inline constexpr bool kReducesGroups<R, void> = true;
template <typename T, typename R, NanRule rule, typename F, typename V>
    requires(!std::is_void_v<V>)
inline constexpr bool kReducesGroups<OwnReducer<T, R, rule, F>, V> = kOwnTakes<T, V>;
template <typename T>
inline constexpr bool kReducesGroups<GroupSize, T> = true;
template <>
inline constexpr bool kReducesGroups<GroupSize, void> = true;
/// What may reduce groups of the elements of an array.
template <typename R, typename Values>
concept group_reducer_of = group_reducer<R> && kReducesGroups<R, ElementOrVoid<Values>>;

/// The keys of rows: an array, or a tuple of arrays.
template <typename X>
inline constexpr bool kIsRowKeys = row_array<X>;
template <typename... X>
inline constexpr bool kIsRowKeys<std::tuple<X...>> = sizeof...(X) > 0 && (row_array<X> && ...);
template <typename X>
concept row_keys = kIsRowKeys<std::remove_cvref_t<X>>;
/// A column of values and what reduces it: a tuple of an array and reducers.
template <typename X>
inline constexpr bool kIsReducedColumn = false;
template <row_array Values, group_reducer_of<Values>... Reducers>
inline constexpr bool kIsReducedColumn<std::tuple<Values, Reducers...>> = sizeof...(Reducers) > 0;
template <typename X>
concept reduced_column = kIsReducedColumn<std::remove_cvref_t<X>>;

#define PURVIEW_NO_GROUPING                                                                     \
 "keys come first, then the values, then what reduces them: group_by_reduce(keys, values, sum," \
 " group_size); of several columns, std::tuple(values, sum) for each, and std::tuple(k, l)"
#define PURVIEW_NO_REDUCER                                                                    \
 "a reducer of groups takes a tensor of these elements, and gives one value: these elements " \
 "do not have this reduction"
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
    template <row_keys K, row_array V, group_reducer... Reducers>
        requires(sizeof...(Reducers) > 0 && !(group_reducer_of<Reducers, V> && ...))
    PURVIEW_REFUSED(PURVIEW_NO_REDUCER, operator()(const K&, const V&, const Reducers&...) const);
};
#undef PURVIEW_NO_GROUPING
#undef PURVIEW_NO_REDUCER

/// `group_by_reduce(keys, values, reducers…)`: reduces the values of equal keys. Returns a tuple of
/// the keys, `[groups]`, and for each reducer its results, `[groups]`:
///
///     const auto [keys, totals, sizes] = group_by_reduce(shops, sales, sum, group_size);
///
/// A reducer is `sum`, `product`, `mean`, `min`, `max`, `any_of`, `all_of`, `count_true`, `group_size` or one's own
/// (`reducer<T>`), which get rows as they are read, or another reduction, as `median`, or any function of a tensor of the
/// values of a group, `[rows]`, in their order; for these, values are arranged by group once. Result types and the
/// treatment of NaN are those of the reducers. Or a stage of keys, `keys | group_by_reduce(values, sum)`.
///
/// Several columns of keys are a `std::tuple` of them: rows are equal where all are, groups are
/// ordered by the first key, then by the second, and each gives a column of the result. So do
/// several columns of values, each a tuple with its own reducers:
///
///     const auto [symbols, hours, turnover, volumes, trades] = group_by_reduce(
///         std::tuple(symbol, hour), std::tuple(price * size, sum), std::tuple(size, sum, group_size));
///
/// Groups are in the order of their keys, or, by `unordered_group_by_reduce`, in that in which they
/// appear first. Keys are of any type with `<`, those of an `AnyTensor` numbers, strings or times;
/// -0 equals 0, NaNs are one group, the last. Keys and values have one shape, and row-major order.
///
/// Eager. O(rows): integers, days and times in a range of at most twice the number of rows index a
/// table; other numbers, strings, and users' types of integers without padding are looked up in a
/// hash table; other users' types are sorted. On several threads, with the same result. So are numbers
/// and times over arrays of chunks beyond the memory limit, by way of temporary files where groups
/// have no room. Throws `ShapeError`, `DtypeError`, `MemoryLimitError`.
template <bool ordered>
struct GroupByFunction : RefusedGroupings {
    using RefusedGroupings::operator();

    template <row_keys Keys, row_array Values, group_reducer_of<Values>... Reducers>
        requires(sizeof...(Reducers) > 0)
    auto operator()(const Keys& keys, const Values& values, const Reducers&... reducers) const {
        return grouped(keys, std::tuple<const Values&, const Reducers&...>(values, reducers...));
    }
    template <row_keys Keys, reduced_column... Columns>
        requires(sizeof...(Columns) > 0)
    auto operator()(const Keys& keys, const Columns&... given) const {
        return grouped(keys, given...);
    }
    template <row_array Values, group_reducer_of<Values>... Reducers>
        requires(sizeof...(Reducers) > 0)
    auto operator()(Values&& values, const Reducers&... reducers) const {
        return make_stage(*this, as_tensor(std::forward<Values>(values)), reducers...);
    }
    template <reduced_column... Columns>
        requires(sizeof...(Columns) > 0)
    auto operator()(const Columns&... given) const { return make_stage(*this, given...); }

private:
    template <typename X>
    static KeyedRows rows_by(const X& keys, bool in_order) {
        using K = ElementOrVoid<X>;
        const Operand given = operand_for_call(keys);
        if constexpr (kIsSortedByLibrary<K>)
            return keyed_rows(given, in_order);
        else
            return keyed_rows(sorted_runs<K>("group_by_reduce", given), given, in_order);
    }
    /// The keys of groups, in memory, or where the given ones lie.
    template <typename X>
    static auto key_column(const Operand& given, const Operand& keys) {
        using K = ElementOrVoid<X>;
        return as_tensor<K>(brought_to(given, clone(as_tensor<K>(keys)).operand()));
    }
    template <TensorLike R>
    static R beside(const Operand& values, const R& results) {
        return R(brought_to(values, results.operand()));
    }
    /// The results of the reducers of a column.
    template <typename Values, typename... Reducers>
    static auto reduced(const RowGroups& groups, const Operand& keys,
                        const std::tuple<Values, Reducers...>& column) {
        return std::apply(
            [&](const auto& given, const auto&... reducers) {
                const auto& held = tensor_for_call(given);
                const auto& values = plain_tensor(held);
                check_rows(keys, values.operand());
                GroupedValues by_group;
                return std::tuple{beside(values.operand(),
                                         reduced_groups(groups, values, by_group, reducers))...};
            },
            column);
    }
    template <typename Values, typename... Reducers>
    static GroupedColumn described(const Operand& keys,
                                   const std::tuple<Values, Reducers...>& column) {
        return std::apply(
            [&](const auto& given, const auto&... reducers) {
                const auto& held = tensor_for_call(given);
                const auto& values = plain_tensor(held);
                check_rows(keys, values.operand());
                return GroupedColumn{
                    values.operand(),
                    {described_reducer<std::remove_cvref_t<decltype(values)>>(reducers)...}};
            },
            column);
    }
    /// The results, `Made`, of arrays of chunks that are too large to be grouped in memory; nothing for
    /// others.
    template <typename Made, typename... Columns>
    static std::optional<Made> large(std::initializer_list<Operand> keys, const Columns&... given) {
        const auto has_chunks = [](const Operand& x) { return x.node->reads(Below::blocks); };
        if (!(std::ranges::any_of(keys, has_chunks) ||
              (has_chunks(operand_for_call(std::get<0>(given))) || ...)))
            return std::nullopt;
        for (const Operand& key : keys) check_rows(*keys.begin(), key);
        const GroupedColumn wanted[]{described(*keys.begin(), given)...};
        std::optional<LargeGroups> made =
            large_groups({keys.begin(), keys.size()}, ordered, wanted);
        if (!made) return std::nullopt;
        std::vector<Operand> results = std::move(made->keys);
        std::ranges::move(made->results, std::back_inserter(results));
        return [&]<std::size_t... At>(std::index_sequence<At...>) {
            return Made(std::tuple_element_t<At, Made>(results[At])...);
        }
        (std::make_index_sequence<std::tuple_size_v<Made>>{});
    }
    template <typename X>
    static constexpr bool kMayBeLarge = kIsNumberOrVoid<ElementOrVoid<X>> ||
                                        (kIsSortedByLibrary<ElementOrVoid<X>> &&
                                         !std::same_as<ElementOrVoid<X>, std::string>);
    template <typename Keys, typename... Columns>
    static auto grouped(const Keys& keys, const Columns&... given) {
        using Made = decltype(std::tuple_cat(
            std::tuple{key_column<Keys>(std::declval<Operand>(), std::declval<Operand>())},
            reduced(std::declval<const RowGroups&>(), std::declval<Operand>(), given)...));
        if constexpr (kMayBeLarge<Keys>)
            if (std::optional<Made> made = large<Made>({operand_for_call(keys)}, given...))
                return *std::move(made);
        const KeyedRows keyed = rows_by(keys, ordered);
        // Keys come last, because the first reducer may determine the groups while it counts rows.
        auto results = std::tuple_cat(reduced(keyed.groups, keyed.given, given)...);
        return Made(std::tuple_cat(std::tuple{key_column<Keys>(keyed.given, keys_of(keyed))},
                                   std::move(results)));
    }
    template <typename... Keys, typename... Columns>
    static auto grouped(const std::tuple<Keys...>& keys, const Columns&... given) {
        using Made = decltype(std::tuple_cat(
            std::tuple{key_column<std::remove_cvref_t<Keys>>(std::declval<Operand>(),
                                                             std::declval<Operand>())...},
            reduced(std::declval<const RowGroups&>(), std::declval<Operand>(), given)...));
        if constexpr ((kMayBeLarge<std::remove_cvref_t<Keys>> && ...)) {
            std::optional<Made> made = std::apply(
                [&](const auto&... each) {
                    return large<Made>({operand_for_call(each)...}, given...);
                },
                keys);
            if (made) return *std::move(made);
        }
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            const KeyedRows keyed[]{rows_by(std::get<I>(keys), true)...};
            for (const KeyedRows& each : keyed) check_rows(keyed[0].given, each.given);
            const RowGroups groups = rows_by_all(keyed, ordered);
            auto results = std::tuple_cat(reduced(groups, keyed[0].given, given)...);
            std::vector<Operand> of_groups = keys_of(keyed, groups);
            return Made(std::tuple_cat(std::tuple{key_column<std::remove_cvref_t<Keys>>(
                                           keyed[I].given, std::move(of_groups[I]))...},
                                       std::move(results)));
        }
        (std::make_index_sequence<sizeof...(Keys)>{});
    }
};
inline constexpr GroupByFunction<true> group_by_reduce;
inline constexpr GroupByFunction<false> unordered_group_by_reduce;

} // namespace purview
