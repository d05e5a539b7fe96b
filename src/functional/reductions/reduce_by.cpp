#include <purview/functional/reductions/reduce_by.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/other_backend.hpp"
#include "functional/reductions/reducer_stage.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace purview::inline v0_1 {
namespace {

/// Something that is to be reduced together with others.
struct Shared {
    std::shared_ptr<const Reducer> reducer;
    std::size_t place; ///< of its result
};

/// Whether a reduction of the library may be reduced with others: with the bits that it has alone.
bool may_share(const ChosenReducer& chosen, const Operand& x, ShapeSpan axes) {
    const bool skips = chosen.nan == NanRule::skip && x.dtype().is_floating();
    return x.dtype().is_builtin() && !lies_elsewhere(x) && !x.node->reads(Below::symbol) &&
           (chosen.built_in->order() == AxisOrder::of_operand || std::ranges::is_sorted(axes)) &&
           (x.node->reads(Below::blocks) || chosen.built_in->has_bits_of_reducer(x.dtype(), skips));
}

/// The results of a reducer of one's own of the groups of a view of sparse elements.
Operand reduce_sparse_to_own(const ChosenReducer& chosen, const ReducedView& view, index_t lead) {
    const auto [by, elements, skips] =
        elements_for(*chosen.own, view.operand, chosen.nan == NanRule::skip);
    Operand results = chosen.new_results(by, view.shape);
    if (view.groups > 0) reduce_sparse_groups(by, skips, elements, view.groups, memory_of(results));
    return with_lists_at(lead, by, std::move(results));
}

/// The same as a node of a computation.
Operand own_stage(const ChosenReducer& chosen, const ReducedView& view, index_t lead) {
    const auto [by, elements, skips] =
        elements_for(*chosen.own, view.operand, chosen.nan == NanRule::skip);
    Shape shape = view.shape;
    if (by.width() > 0) shape.push_back(by.width());
    const std::shared_ptr<const FunctionReducer> held(chosen.own->weak_from_this().lock(), &by);
    Operand stage{
        make_node<OpaqueStage>(std::make_shared<const ReducerStage>(held, skips, view.groups),
                               std::vector{elements}),
        Dimensions::row_major(shape)};
    return with_lists_at(lead, by, std::move(stage));
}

} // namespace

std::vector<Operand> reduce_together(const Operand& given, ShapeSpan axes, bool keep, index_t lead,
                                     std::span<const ChosenReducer> reducers) {
    constexpr const char* kName = "reduce";
    const Operand x = widened_operand(given);
    const ReducedView view = reduced_view(kName, x, axes, keep);
    const bool sparse = is_sparse(x);
    std::vector<Operand> results(reducers.size());
    std::vector<Shared> shared;
    for (std::size_t i = 0; i < reducers.size(); ++i) {
        const ChosenReducer& chosen = reducers[i];
        const bool skips_nan = chosen.nan == NanRule::skip;
        std::shared_ptr<const Reducer> reducer;
        if (chosen.own != nullptr) {
            const FunctionReducer& by = elements_for(*chosen.own, x, skips_nan).by;
            if (skips_nan && view.kept > 0) require_not_sparse(by.name(), x);
            const bool of_counts = by.element() != x.dtype() && x.dtype().counted_in() != x.dtype();
            if (x.node->reads(Below::symbol))
                results[i] = own_stage(chosen, view, lead);
            else if (sparse && x.dims.size() > 0)
                results[i] = reduce_sparse_to_own(chosen, view, lead);
            else if (of_counts)
                results[i] =
                    reduce_together(times_as_counts(x), axes, keep, lead, {&chosen, 1}).front();
            if (results[i].node) continue;
            reducer = chosen.reducer(x.dtype());
        } else if (!sparse && reducers.size() > 1 && may_share(chosen, x, axes)) {
            reducer = chosen.reducer(x.dtype()); // if it has states
        }
        if (!reducer) {
            ChosenAxes over;
            over.axes = Axes(axes);
            over.given = view.kept > 0 || !std::ranges::is_sorted(axes);
            over.keep = keep;
            over.nan = skips_nan ? NanRule::skip : NanRule::keep;
            results[i] = reduce_any(*chosen.built_in, x, over).operand();
            continue;
        }
        shared.push_back({std::move(reducer), i});
    }
    std::vector<const Reducer*> list;
    std::vector<void*> out;
    for (const auto& [reducer, i] : shared) {
        if (reducer->needs_elements()) require_elements(reducer->name(), view);
        results[i] = reducers[i].new_results(*reducer, view.shape);
        list.push_back(reducer.get());
        out.push_back(memory_of(results[i]));
    }
    if (view.groups > 0 && !list.empty())
        reduce_groups_together(list, view.operand, view.groups, out);
    for (const auto& [reducer, i] : shared)
        results[i] = with_lists_at(lead, *reducer, std::move(results[i]));
    return results;
}

} // namespace purview
