#include <purview/functional/reductions/reduce_by.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
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

bool is_signed_integer(DType dtype) {
    return dtype == int8 || dtype == int16 || dtype == int32 || dtype == int64;
}
/// Bits of the integers, and of the fractions of floats, that a type holds exactly.
int exact_bits(DType dtype) {
    if (dtype == float64) return 53;
    if (dtype == float32) return 24;
    return static_cast<int>(8 * dtype.size_bytes()) - (is_signed_integer(dtype) ? 1 : 0);
}

bool converts_exactly(DType from, DType to) {
    if (from == to) return true;
    if (!from.is_builtin() || !to.is_builtin() || to == boolean) return false;
    if (from == boolean) return true;
    if (from.is_floating() || to.is_floating())
        return to.is_floating() && (!from.is_floating() || from.size_bytes() <= to.size_bytes()) &&
               exact_bits(from) <= exact_bits(to);
    return exact_bits(from) <= exact_bits(to) &&
           (!is_signed_integer(from) || is_signed_integer(to));
}

/// Something that is to be reduced together with others.
struct Shared {
    std::shared_ptr<const Reducer> reducer;
    std::size_t place; ///< of its result
};

/// The one that takes elements of a type. Throws `DtypeError`.
const FunctionReducer& taking(const FunctionReducer& reducer, DType element) {
    if (const FunctionReducer* const found = reducer.of(element)) return *found;
    throw DtypeError(fmt::format("{}: elements of {} do not convert to {} without loss",
                                 reducer.name(), element.name(), reducer.element().name()));
}

/// Whether there may be NaN, which is to be skipped. Throws `DtypeError`, and `Error` where places are taken.
bool skips_nan_of(const FunctionReducer& own, DType element, bool skips_nan) {
    if (!skips_nan) return false;
    if (is_complex(element)) throw_nan_rule(own.name(), element);
    if (element.counted_in() != element)
        throw DtypeError(fmt::format("{}: a reducer of one's own does not skip NaT, which is in {}",
                                     own.name(), element.name()));
    if (element.is_floating() && own.takes_places())
        throw Error(fmt::format("{}: a fold that takes the places of blocks does not skip NaN",
                                own.name()));
    return element.is_floating();
}

/// Whether a reduction of the library may be reduced with others: with the bits that it has alone.
bool may_share(const ChosenReducer& chosen, const Operand& x, ShapeSpan axes) {
    const bool skips = chosen.nan == NanRule::skip && x.dtype().is_floating();
    return x.dtype().is_builtin() && !lies_elsewhere(x) && !x.node->reads(Below::symbol) &&
           (chosen.built_in->order() == AxisOrder::of_operand || std::ranges::is_sorted(axes)) &&
           (x.node->reads(Below::blocks) || chosen.built_in->has_bits_of_reducer(x.dtype(), skips));
}

} // namespace

std::shared_ptr<const Reducer> ChosenReducer::reducer(DType element) const {
    const bool skips = nan == NanRule::skip;
    if (built_in != nullptr) return built_in->reducer(element, skips && element.is_floating());
    const FunctionReducer& found = taking(*own, element);
    if (skips_nan_of(found, element, skips)) return numbers_only(found);
    return {std::shared_ptr<const void>(), &found};
}

const FunctionReducer* FunctionReducer::of(DType element) const {
    return converts_exactly(element, this->element()) ? this : nullptr;
}

ReducedElements elements_for(const FunctionReducer& reducer, const Operand& given, bool skips_nan) {
    const Operand x = widened_operand(given);
    if (!x.node->reads(Below::symbol)) require_host_reads(reducer.name(), x);
    const FunctionReducer& by = taking(reducer, x.dtype());
    const bool skips = skips_nan_of(by, x.dtype(), skips_nan);
    if (x.dtype() == by.element()) return {by, x, skips};
    return {by, cast_operand(times_as_counts(x), by.element(), Op::cast), skips};
}

namespace {

/// The results of a reducer of one's own of the groups of a view of sparse elements.
Operand reduce_sparse_to_own(const ChosenReducer& chosen, const ReducedView& view, index_t lead) {
    const auto [by, elements, skips] =
        elements_for(*chosen.own, view.operand, chosen.nan == NanRule::skip);
    Shape shape = view.shape;
    if (by.width() > 0) shape.push_back(by.width());
    Operand results = by.new_results(shape);
    if (view.groups > 0) reduce_sparse_groups(by, skips, elements, view.groups, memory_of(results));
    if (by.width() > 0) results.dims = dimensions::move_axis(results.dims, -1, lead);
    return results;
}

/// The same as a node of a computation.
Operand own_stage(const ChosenReducer& chosen, const ReducedView& view, index_t lead) {
    const auto [by, elements, skips] =
        elements_for(*chosen.own, view.operand, chosen.nan == NanRule::skip);
    Shape shape = view.shape;
    if (by.width() > 0) shape.push_back(by.width());
    const std::shared_ptr<const FunctionReducer> held(chosen.own->weak_from_this().lock(), &by);
    Operand stage{make_node<OpaqueStage>(std::make_shared<const ReducerStage>(held, skips),
                                         elements, view.groups),
                  Dimensions::row_major(shape)};
    if (by.width() > 0) stage.dims = dimensions::move_axis(stage.dims, -1, lead);
    return stage;
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
        Shape shape = view.shape;
        if (reducer->width() > 0) shape.push_back(reducer->width());
        results[i] = reducers[i].own != nullptr
                         ? reducers[i].own->new_results(shape)
                         : empty_of(reducer->name(), reducer->result(), shape);
        list.push_back(reducer.get());
        out.push_back(memory_of(results[i]));
    }
    if (view.groups > 0 && !list.empty())
        reduce_groups_together(list, view.operand, view.groups, out);
    for (const auto& [reducer, i] : shared)
        if (reducer->width() > 0)
            results[i].dims = dimensions::move_axis(results[i].dims, -1, lead);
    return results;
}

} // namespace purview
