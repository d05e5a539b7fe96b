#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/assembly/create_like.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/statistics/group_by.hpp>

#include "dtype/element_block.hpp"
#include "evaluation/numbers_only.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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

/// The extremes of times, as their counts, of which NaT is the lowest.
AnyTensor extreme_times(const RowGroups& groups, const Operand& values, bool least) {
    const DType dtype = values.dtype();
    const Operand counts = times_as_counts(values);
    const Operand lowest = groups.fold(GroupFold::of_minimum, counts);
    if (least) return counts_as_times(AnyTensor(lowest), dtype);
    const Operand nat = nat_mask(counts_as_times(AnyTensor(lowest), dtype).operand());
    const Operand greatest =
        choose_operand(nat, lowest, groups.fold(GroupFold::of_maximum, counts), dtype.counted_in());
    return counts_as_times(clone(AnyTensor(greatest)), dtype);
}

} // namespace

AnyTensor reduce_other_groups(const RowGroups& groups, const Operand& values,
                              GroupedValues& grouped, const BuiltInReduction& by, NanRule nan) {
    constexpr const char* kName = "group_by_reduce";
    if (nan == NanRule::refuse) require_no_nan(kName, values, DimVector());
    ChosenAxes chosen;
    chosen.nan = nan == NanRule::skip ? nan : NanRule::keep;
    if (groups.size() == 0) { // the type of results of nothing
        chosen = ChosenAxes::of(1);
        return reduce_any(by, reshape(AnyTensor(values), {0, 1}).operand(), chosen);
    }
    const bool least = &by == &fold_reduction(Reduction::minimum);
    const bool is_time = values.dtype().counted_in() != values.dtype();
    if (is_time && chosen.nan == NanRule::keep &&
        (least || &by == &fold_reduction(Reduction::maximum)))
        return extreme_times(groups, values, least);
    std::vector<index_t>& begins = grouped.begins;
    if (begins.empty()) {
        const AnyTensor held = contiguous(AnyTensor(values));
        grouped.values =
            clone(AnyTensor(arranged_values(groups, held.operand(), begins))).operand();
    }
    const AnyTensor arranged(grouped.values);
    AnyTensor results;
    for (index_t group = 0; group < groups.size(); ++group) {
        const auto g = static_cast<std::size_t>(group);
        const AnyTensor reduced =
            reduce_any(by, arranged(range(begins[g], begins[g + 1])).operand(), chosen);
        if (group == 0)
            results = new_tensor(kName, reduced.dtype(), AxisValues{groups.size()}, false);
        copy(reduced, results(group));
    }
    return results;
}

Operand own_groups(const RowGroups& groups, const Operand& values, const FunctionReducer& given,
                   bool skips_nan) {
    constexpr index_t kRows = 4096;
    if (values.node->reads(Below::symbol)) throw_no_elements(*values.node, given.name());
    require_not_sparse(given.name(), values);
    const auto [own, elements, skips] = elements_for(given, values, skips_nan);
    const index_t bytes = groups.size() * own.state_bytes();
    const CountedBytes counted(bytes, own.name());
    ElementBlock states(uint8, bytes);
    own.clear(states.at(0), groups.size());
    std::vector<index_t> sizes(static_cast<std::size_t>(own.takes_places() ? groups.size() : 0));
    const Operand all = groups.numbers();
    const auto* numbers = reinterpret_cast<const std::int64_t*>(memory_of(all));
    const index_t rows = elements.dims.size();
    const Evaluation evaluation(elements, Reads::within_one_operation);
    ElementBlock block(own.element(), std::min(rows, kRows));
    for (index_t row = 0; row < rows; row += kRows) {
        const index_t count = std::min(kRows, rows - row);
        evaluation.read(row, count, block.data());
        own.fold_rows(states.at(0), block.data(), numbers + row, count, skips, sizes.data());
    }
    Shape shape{groups.size()};
    if (own.width() > 0) shape.push_back(own.width());
    Operand results = own.new_results(shape);
    if (results.dims.size() > 0) own.finish(states.at(0), groups.size(), 0, memory_of(results));
    if (own.width() > 0) results.dims = dimensions::move_axis(results.dims, -1, 0);
    return results;
}

Operand fold_non_nan(const RowGroups& groups, GroupFold fold, const Operand& values) {
    const DType dtype = values.dtype();
    if (!dtype.is_floating()) return groups.fold(fold, values);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double neutral = fold == GroupFold::of_product   ? 1
                           : fold == GroupFold::of_minimum ? kInfinity
                           : fold == GroupFold::of_maximum ? -kInfinity
                                                           : 0;
    const Operand numbers = numbers_only(values, neutral);
    if (fold == GroupFold::of_sum || fold == GroupFold::of_product)
        return groups.fold(fold, numbers);
    const bool averages = fold == GroupFold::of_mean;
    const Operand counts =
        groups.fold(GroupFold::of_sum, cast_operand(is_not_nan(values), int64, Op::cast));
    const Operand folded =
        groups.fold(averages ? GroupFold::of_sum : fold,
                    averages ? cast_operand(numbers, float64, Op::cast) : numbers);
    const Operand any =
        binary_operand(Op::greater, counts, constant_operand(std::int64_t{0}), int64, boolean);
    const Operand divisor =
        binary_operand(Op::maximum, counts, constant_operand(std::int64_t{1}), int64, int64);
    const Operand results =
        averages ? binary_operand(Op::divide, folded, divisor, float64, float64) : folded;
    const auto of = [&]<typename R>(std::type_identity<R>) {
        return clone(Tensor<R>(choose_operand(any, results,
                                              constant_operand(std::numeric_limits<R>::quiet_NaN()),
                                              dtype)))
            .operand();
    };
    return dtype == float32 ? of(std::type_identity<float>{}) : of(std::type_identity<double>{});
}

} // namespace purview
