#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/assembly/create_like.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/statistics/group_by.hpp>

#include "dtype/element_block.hpp"
#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "functional/statistics/group_plans.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

void check_rows(const Operand& keys, const Operand& values) {
    if (to_shape(keys.dims.max_shape()) != to_shape(values.dims.max_shape()))
        throw ShapeError(fmt::format("group_by_reduce: keys of shape {} and values of shape {}",
                                     to_string(keys.dims.max_shape()),
                                     to_string(values.dims.max_shape())));
    require_host_reads("group_by_reduce", values);
    require_not_sparse("group_by_reduce", values);
}

Operand arranged_values(const RowGroups& groups, const Operand& values,
                        std::vector<index_t>& begins) {
    const MutableTensor<std::int64_t> order = empty<std::int64_t>({groups.rows()});
    groups.sort(as_span(order).data(), begins);
    return take_operand(values, order.operand());
}

namespace {

/// A fold of rows of elements that are not NaN, of floats; where there are none, means and extremes are NaN.
Operand fold_non_nan(const RowGroups& groups, const PlainFold& fold, const Operand& values) {
    const auto [reduction, averages] = fold;
    const bool extreme = is_extreme(reduction);
    const Operand numbers = numbers_only(values, reduction);
    if (!averages && !extreme) return groups.fold(reduction, numbers);
    const Operand counts =
        groups.fold(Reduction::sum, cast_operand(is_not_nan(values), int64, Op::cast));
    const Operand folded =
        groups.fold(reduction, averages ? cast_operand(numbers, float64, Op::cast) : numbers);
    return clone(AnyTensor(results_of_numbers(folded, counts, averages, values.dtype()))).operand();
}

void arrange(const RowGroups& groups, const Operand& values, GroupedValues& grouped) {
    if (!grouped.begins.empty()) return;
    const AnyTensor held = contiguous(AnyTensor(values));
    grouped.values =
        clone(AnyTensor(arranged_values(groups, held.operand(), grouped.begins))).operand();
}
/// Calls `f(group, values)` for each group.
template <typename F>
void for_each_group(const RowGroups& groups, const Operand& values, GroupedValues& grouped, F f) {
    arrange(groups, values, grouped);
    const AnyTensor arranged(grouped.values);
    for (index_t group = 0; group < groups.size(); ++group) {
        const auto g = static_cast<std::size_t>(group);
        f(group, arranged(range(grouped.begins[g], grouped.begins[g + 1])).operand());
    }
}

/// Of values of a type that is not built-in.
Operand reduce_others(const RowGroups& groups, const Operand& values, GroupedValues& grouped,
                      const BuiltInReduction& by, NanRule nan) {
    ChosenAxes chosen;
    chosen.nan = nan == NanRule::skip ? nan : NanRule::keep;
    if (groups.size() == 0) { // the type of results of nothing
        chosen = ChosenAxes::of(1);
        return reduce_any(by, reshape(AnyTensor(values), {0, 1}).operand(), chosen).operand();
    }
    const bool least = &by == &fold_reduction(Reduction::minimum);
    const bool is_time = values.dtype().counted_in() != values.dtype();
    if (is_time && (least || &by == &fold_reduction(Reduction::maximum))) {
        // Of counts NaT is the lowest: it is to win, or, skipped, to lose.
        const bool shifts = least == (nan == NanRule::skip);
        const Operand counts = times_as_counts(values);
        Operand found = reduce_rows(groups, shifts ? nat_greatest(counts) : counts, grouped,
                                    {&by, nullptr, nan});
        if (shifts) found = clone(AnyTensor(nat_lowest(found))).operand();
        return counts_as_times(AnyTensor(found), values.dtype()).operand();
    }
    AnyTensor results;
    for_each_group(groups, values, grouped, [&](index_t group, const Operand& own) {
        const AnyTensor reduced = reduce_any(by, own, chosen);
        if (group == 0)
            results = new_tensor(kGroupByReduce, reduced.dtype(), AxisValues{groups.size()}, false);
        copy(reduced, results(group));
    });
    return results.operand();
}

/// Into the states of one's own: rows in their order.
void fold_own_rows(const RowGroups& groups, const ReducedElements& of, std::byte* states) {
    constexpr index_t kRows = 4096;
    const auto& [own, elements, skips] = of;
    own.clear(states, groups.size());
    std::vector<index_t> sizes(static_cast<std::size_t>(own.takes_places() ? groups.size() : 0));
    const Operand all = groups.numbers();
    const auto* numbers = reinterpret_cast<const std::int64_t*>(memory_of(all));
    const index_t rows = elements.dims.size();
    const Evaluation evaluation(elements, Reads::within_one_operation);
    ElementBlock block(own.element(), std::min(rows, kRows));
    for (index_t row = 0; row < rows; row += kRows) {
        const index_t count = std::min(kRows, rows - row);
        evaluation.read(row, count, block.data());
        own.fold_rows(states, block.data(), numbers + row, count, skips, sizes.data());
    }
}

} // namespace

Operand reduce_rows(const RowGroups& groups, const Operand& given, GroupedValues& grouped,
                    const ChosenReducer& chosen) {
    const BuiltInReduction& by = *chosen.built_in;
    Operand values = widened_operand(given);
    if (!values.dtype().is_builtin()) return reduce_others(groups, values, grouped, by, chosen.nan);
    const bool skips = chosen.nan == NanRule::skip && values.dtype().is_floating();
    if (skips && &by == &count_reduction()) values = numbers_only(values, Reduction::sum);
    const DType result = by.result_of(values.dtype());
    if (const std::optional<PlainFold> fold = fold_of_rows(by, values)) {
        if (skips && values.dtype().is_floating()) return fold_non_nan(groups, *fold, values);
        return groups.fold(fold->reduction, values, fold->averages);
    }
    const Operand results = empty_of(kGroupByReduce, result, Shape{groups.size()});
    std::byte* const out = memory_of(results);
    const NanRule nan = skips ? NanRule::skip : NanRule::keep;
    for_each_group(groups, values, grouped, [&](index_t group, const Operand& own) {
        reduce_to_number(by, own, nan, out + group * result.size_bytes());
    });
    return results;
}

void fold_rows(const RowGroups& groups, const Operand& values, GroupedValues& grouped,
               const ChosenReducer& chosen, std::byte* states) {
    const bool skips = chosen.nan == NanRule::skip;
    if (chosen.own != nullptr)
        return fold_own_rows(groups, elements_for(*chosen.own, values, skips), states);
    const std::shared_ptr<const Reducer> reducer = chosen.reducer(values.dtype());
    if (values.dtype().is_builtin() && !(skips && values.dtype().is_floating())) {
        Operand elements = values;
        const std::optional<PlainFold> fold = fold_of_rows(*chosen.built_in, elements);
        if (fold && fold->reduction != Reduction::product) { // a state is its result
            elements = elements_as(elements, reducer->result());
            return read_all(groups.fold(fold->reduction, elements), states);
        }
    }
    reducer->clear(states, groups.size());
    for_each_group(groups, values, grouped, [&](index_t group, const Operand& own) {
        const auto place = [](index_t, index_t at) { return at; };
        fold_part(*reducer, {own, 1, place}, states + group * reducer->state_bytes());
    });
}

Operand own_groups(const RowGroups& groups, const Operand& values, const ChosenReducer& chosen) {
    const FunctionReducer& given = *chosen.own;
    if (values.node->reads(Below::symbol)) throw_no_elements(*values.node, given.name());
    require_not_sparse(given.name(), values);
    const ReducedElements of = elements_for(given, values, chosen.nan == NanRule::skip);
    const index_t bytes = groups.size() * of.by.state_bytes();
    const CountedBytes counted(bytes, of.by.name());
    ElementBlock states(uint8, bytes);
    fold_own_rows(groups, of, states.at(0));
    Operand results = chosen.new_results(of.by, Shape{groups.size()});
    if (results.dims.size() > 0) of.by.finish(states.at(0), groups.size(), 0, memory_of(results));
    return with_lists_at(0, of.by, std::move(results));
}

} // namespace purview
