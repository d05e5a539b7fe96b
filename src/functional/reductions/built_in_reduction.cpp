#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/tensor/copy.hpp>

#include "functional/reductions/slab_results.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <string>

namespace purview::inline v0_1 {
namespace {

/// Over the chosen axes, or over all of them.
ReducedView arranged(const BuiltInReduction& reduction, const Operand& x, const ChosenAxes& chosen,
                     AxisOrder order) {
    if (!chosen.given && !chosen.keep) return reduced_view(x);
    return reduced_view(reduction.name(), x, chosen.positional(reduction.name(), x.dims.rank()),
                        chosen.keep, order);
}

} // namespace

void BuiltInReduction::run_to(ReducedView view, const Operand& results) const {
    compute_into(results, results.dtype(), view.groups,
                 [&](void* out) { run(std::move(view), results.dtype(), out); });
}

std::unique_ptr<const Reducer> BuiltInReduction::reducer(DType, bool) const { return nullptr; }

bool BuiltInReduction::wants_groups_together(DType element, bool skips_nan) const {
    return reducer(element, skips_nan) == nullptr;
}

bool BuiltInReduction::has_bits_of_reducer(DType, bool) const { return false; }

void BuiltInReduction::run_on_non_nan(ReducedView view, void* out) const {
    if (const auto reducer = this->reducer(view.operand.dtype(), true)) {
        if (reducer->needs_elements()) require_elements(name_, view);
        return reduce_groups(*reducer, view.operand, view.groups, out);
    }
    require_host_reads(name_, view.operand);
    const auto reduced = [&](const ReducedView& batch) -> Operand {
        const Operand results = empty_of(name_, result_of(batch.operand.dtype()), batch.shape);
        if (results.dims.size() > 0) run(batch, results.dtype(), memory_of(results));
        return results;
    };
    if (view.groups > 0) Evaluation(reduce_non_nan(name_, view, reduced)).read(0, view.groups, out);
}

std::shared_ptr<AnyReader> BuiltInReduction::run_sparse(ReducedView view) const {
    require_not_sparse(name_, view.operand);
    return nullptr;
}

bool BuiltInReduction::roll_ranges(const Operand&, index_t, std::span<const index_t>,
                                   std::span<const index_t>, NanRule, void*) const {
    return false;
}
bool BuiltInReduction::roll(const PaddedLanes&, index_t, index_t, NanRule, void*) const {
    return false;
}

Operand BuiltInReduction::node(ReducedView) const {
    throw KindError(std::string(name_) + ": this reduction is not defined for symbols");
}

AnyTensor BuiltInReduction::of_non_builtin(const ReducedView& view) const {
    throw_dtype_unsupported(name_, view.operand.dtype());
}

Operand BuiltInReduction::of_non_nat(const ReducedView& view) const {
    return reduce_non_nan(name_, view,
                          [&](const ReducedView& part) { return of_non_builtin(part).operand(); });
}

void reduce_to_number(const BuiltInReduction& reduction, const Operand& x, NanRule nan, void* out) {
    if (x.node->reads(Below::symbol)) throw_no_elements(*x.node, reduction.name());
    if (nan == NanRule::refuse) require_no_nan(reduction.name(), x, {});
    if (nan == NanRule::skip && x.dtype().is_floating())
        reduction.run_on_non_nan(reduced_view(x), out);
    else
        reduction.run(reduced_view(x), reduction.result_of(x.dtype()), out);
}

Operand reduce_view(const BuiltInReduction& reduction, ReducedView view, NanRule nan) {
    if (view.operand.node->reads(Below::symbol)) {
        if (nan != NanRule::keep)
            throw SymbolError(std::string(reduction.name()) +
                              ": symbols are reduced without a policy for NaN");
        return reduction.node(std::move(view));
    }
    const DType element = view.operand.dtype();
    const bool skips = nan == NanRule::skip && element.is_floating();
    if (nan == NanRule::skip) require_not_sparse(reduction.name(), view.operand);
    if (is_sparse(view.operand) && view.operand.dims.size() > 0) {
        Dimensions dims = Dimensions::row_major(view.shape);
        std::shared_ptr<AnyReader> pairs = reduction.run_sparse(std::move(view));
        auto& writer = dynamic_cast<AnyWriter&>(*pairs);
        return {make_node<Leaf>(std::move(pairs), writer), std::move(dims)};
    }
    const auto reduced = [&](const ReducedView& part) -> Operand {
        const DType result = reduction.result_of(element);
        const Operand results = results_like(reduction.name(), part.operand, result, part.shape);
        if (!skips)
            reduction.run_to(part, results);
        else
            compute_into(results, result, part.groups,
                         [&](void* out) { reduction.run_on_non_nan(part, out); });
        return results;
    };
    if (view.operand.node->reads(Below::blocks) && reduction.wants_groups_together(element, skips))
        return reduced_in_slabs(reduction.name(), view, reduced);
    return reduced(view);
}

Operand reduce_over_axes(const BuiltInReduction& reduction, const Operand& x,
                         const ChosenAxes& chosen) {
    if (x.node->reads(Below::symbol))
        throw_no_elements(*x.node, reduction.name());    // of a tensor that is no symbol
    if (is_sparse(x) && !chosen.given && !chosen.keep) { // a number
        const Operand result =
            results_like(reduction.name(), x, reduction.result_of(x.dtype()), {});
        reduce_to_number(reduction, x, chosen.nan, memory_of(result));
        return result;
    }
    if (chosen.nan == NanRule::refuse) require_no_nan(reduction.name(), x, {});
    return reduce_view(reduction, arranged(reduction, x, chosen, reduction.order()), chosen.nan);
}

AnyTensor reduce_any(const BuiltInReduction& reduction, const Operand& given,
                     const ChosenAxes& chosen) {
    const Operand x = widened_operand(given);
    if (is_complex(x.dtype()) && chosen.nan != NanRule::keep)
        throw_nan_rule(reduction.name(), x.dtype());
    if (x.dtype().is_builtin()) return AnyTensor::writable(reduce_over_axes(reduction, x, chosen));
    const ReducedView view = arranged(reduction, x, chosen, AxisOrder::as_named);
    if (chosen.nan == NanRule::refuse) require_no_nan(reduction.name(), x, {});
    if (chosen.nan == NanRule::keep) return reduction.of_non_builtin(view);
    return AnyTensor::writable(reduction.of_non_nat(view));
}

Operand reduce_to_node(const BuiltInReduction& reduction, const Operand& x,
                       const ChosenAxes& chosen) {
    return reduction.node(arranged(reduction, x, chosen, reduction.order()));
}

} // namespace purview
