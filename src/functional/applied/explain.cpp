#include <purview/evaluation/explain.hpp>
#include <purview/functional/applied/explain.hpp>

#include "evaluation/fold_types.hpp"

#include <utility>

namespace purview::inline v0_1 {
namespace {

std::string explain_products(const char* what, ProductFactors factors) {
    const DType common = promote(factors.x.dtype(), factors.y.dtype(), what);
    const BuiltInReduction& sum = fold_reduction(Reduction::sum);
    const DType type = common.is_builtin() ? sum.result_of(common) : common;
    const Operand products =
        binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y), type, type);
    const ReducedView view = reduced_view(what, products, Shape{-1}, false);
    return explain_reduction(what, Reduction::sum, view.operand, view.groups);
}

std::string explain_sorting(const char* what, const AnyTensor& x, index_t axis, bool indexes,
                            FunctionRef<void()> call) {
    const AxisParts parts = axis_parts(what, x.operand(), axis);
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    return with_chunks(
        explain_sort(what, {SortOrder::ascending, parts.groups, indexes}, parts.operand),
        x.operand(), call);
}

} // namespace

std::string with_chunks(std::string text, const Operand& x, FunctionRef<void()> call) {
    return x.node->reads(Below::blocks) ? text + "chunks: " + explain_call(call) : text;
}

std::string explain_reduced(const ChosenReducer& chosen, const AnyTensor& x,
                            const std::optional<Shape>& axes) {
    const char* const what = chosen.name();
    ReducedView view =
        axes ? reduced_view(what, x.operand(), *axes, false) : reduced_view(x.operand());
    const bool is_own = chosen.own != nullptr;
    const std::optional<PlainFold> fold = is_own ? std::nullopt : chosen.built_in->as_fold();
    if (!fold) {
        const char* const steps =
            is_own ? "blocks of 16384 elements of each group, whose states are joined in pairs"
                   : chosen.built_in->steps();
        const auto reducer = chosen.reducer(view.operand.dtype());
        const std::string text = explain_reducer(what, reducer ? reducer->state_bytes() : 0, steps,
                                                 view.operand, view.groups);
        if (is_own || reducer) return text;
        return with_chunks(text, x.operand(),
                           [&] { reduce_view(*chosen.built_in, view, chosen.nan); });
    }
    const Reduction reduction = fold->reduction;
    if (is_extreme(reduction)) require_elements(what, view);
    const DType dtype = view.operand.dtype();
    const DType type = dtype.is_builtin() ? chosen.built_in->result_of(dtype) : dtype;
    return explain_reduction(what, reduction, cast_operand(std::move(view.operand), type, Op::cast),
                             view.groups);
}

std::string explanation_of(const SortingFunction<SortAlong>& sort, const AnyTensor& x,
                           index_t axis) {
    return explain_sorting("sort", x, axis, false, [&] { sort(x, axis); });
}

std::string explanation_of(const SortingFunction<ArgsortAlong>& argsort, const AnyTensor& x,
                           index_t axis) {
    return explain_sorting("argsort", x, axis, true, [&] { argsort(x, axis); });
}

std::string explanation_of(const MatmulFunction&, const AnyTensor& x, const AnyTensor& y) {
    return explain_products("matmul", matmul_factors(x.operand(), y.operand()));
}

std::string explanation_of(const DotFunction&, const AnyTensor& x, const AnyTensor& y) {
    return explain_products("dot", dot_factors(x.operand(), y.operand()));
}

} // namespace purview
