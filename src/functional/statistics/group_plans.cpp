#include "functional/statistics/group_plans.hpp"

#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

/// The type that rows are folded in.
DType accumulator_of(DType values, bool averages) {
    if (values.is_floating() || averages) return float64;
    return values == uint64 ? uint64 : int64;
}

/// As `RowGroups::fold` takes it.
Reduction on_bools(Reduction reduction, bool& of_bools) {
    of_bools = is_of_truths(reduction);
    if (reduction == Reduction::any_of) return Reduction::maximum;
    return reduction == Reduction::all_of ? Reduction::minimum : reduction;
}

/// Kinds of elements that are folded; beyond these, values of a type, changed for a reduction.
constexpr std::uint32_t kOfRows = 0;
constexpr std::uint32_t kOfNumbers = 1;
constexpr std::uint32_t kOfValues = 2;

PlannedFold counted_rows() { return {nullptr, Reduction::sum, int64, kOfRows}; }

template <typename A>
void convert(const A* folded, const std::int64_t* counts, bool averages, bool numbers, DType result,
             index_t count, void* out) {
    visit_dtype(result, kGroupByReduce, [&]<typename R>(std::type_identity<R>) {
        auto* const to = static_cast<R*>(out);
        for (index_t i = 0; i < count; ++i) {
            const A divisor =
                averages ? static_cast<A>(std::max<std::int64_t>(counts[i], 1)) : A{1};
            to[i] = static_cast<R>(averages ? folded[i] / divisor : folded[i]);
            if (numbers && counts[i] == 0) to[i] = std::numeric_limits<R>::quiet_NaN();
        }
    });
}

} // namespace

std::optional<PlainFold> fold_of_rows(const BuiltInReduction& by, Operand& values) {
    if (&by != &count_reduction()) return by.as_fold();
    values = cast_operand(values, boolean, Op::cast);
    return PlainFold{Reduction::sum};
}

GroupPlan plan_of(const GroupReducer& reducer, const Operand& given) {
    using Ending = GroupPlan::Ending;
    if (reducer.gives_sizes) return {Ending::value, {counted_rows()}, int64};
    if (!reducer.chosen) return {};
    const ChosenReducer& chosen = *reducer.chosen;
    const bool skips_nan = chosen.nan == NanRule::skip;
    if (chosen.own != nullptr) {
        elements_for(*chosen.own, given, skips_nan); // throws for what it does not take
        return {Ending::own_states, {}, chosen.own->result()};
    }
    const BuiltInReduction& by = *chosen.built_in;
    const Operand widened = widened_operand(given);
    if (!widened.dtype().is_builtin()) return {};
    const bool skips = skips_nan && widened.dtype().is_floating();
    // of a block of values what is folded
    const auto elements = [&by, skips](const Operand& block) {
        Operand values = widened_operand(block);
        if (skips && &by == &count_reduction()) values = numbers_only(values, Reduction::sum);
        fold_of_rows(by, values);
        return values;
    };
    const Operand values = elements(given);
    Operand unused = values;
    const std::optional<PlainFold> fold = fold_of_rows(by, unused);
    if (!fold) return {};
    bool of_bools = false;
    const Reduction reduction = on_bools(fold->reduction, of_bools);
    const bool averages = fold->averages;
    const bool counts_numbers = skips && values.dtype().is_floating();
    const auto folded = [=, given_reduction = fold->reduction](const Operand& block) {
        Operand own = elements(block);
        if (counts_numbers) own = numbers_only(own, given_reduction);
        if (of_bools) own = cast_operand(own, boolean, Op::cast);
        return own;
    };
    const DType type = of_bools ? DType(boolean) : values.dtype();
    // What `folded` depends on beside the values.
    std::uint32_t kind = kOfValues + static_cast<std::uint32_t>(values.dtype().id());
    kind = 4 * kind + (of_bools ? 2 : 0) + (skips ? 1 : 0);
    kind = 32 * kind + (skips ? static_cast<std::uint32_t>(fold->reduction) : 0);
    GroupPlan plan{Ending::value,
                   {{folded, reduction, accumulator_of(type, averages), kind}},
                   fold_result(reduction, type, averages)};
    const bool extreme = !of_bools && is_extreme(reduction);
    if (counts_numbers && (averages || extreme)) {
        plan.ending = averages ? Ending::average_of_numbers : Ending::value_of_numbers;
        plan.result = values.dtype();
        plan.folds.push_back({[elements](const Operand& block) {
                                  return cast_operand(is_not_nan(elements(block)), int64, Op::cast);
                              },
                              Reduction::sum, int64, kOfNumbers});
    } else if (averages) {
        plan.ending = Ending::average;
        plan.folds.push_back(counted_rows());
    }
    return plan;
}

void GroupPlan::finish(const std::vector<const void*>& folded, index_t count, void* out) const {
    const auto* const counts =
        folded.size() > 1 ? static_cast<const std::int64_t*>(folded[1]) : nullptr;
    const bool averages = ending == Ending::average || ending == Ending::average_of_numbers;
    const bool numbers = ending == Ending::average_of_numbers || ending == Ending::value_of_numbers;
    const auto of = [&]<typename A>(std::type_identity<A>) {
        convert(static_cast<const A*>(folded[0]), counts, averages, numbers, result, count, out);
    };
    if (folds[0].accumulator == float64) return of(std::type_identity<double>{});
    if (folds[0].accumulator == uint64) return of(std::type_identity<std::uint64_t>{});
    of(std::type_identity<std::int64_t>{});
}

} // namespace purview
