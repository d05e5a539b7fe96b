#pragma once

#include <purview/functional/along/scans.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/tensor/explain.hpp>

#include <optional>
#include <string>

namespace purview::inline v0_1 {

/// The text, and how the call would read x, if it is over arrays of chunks.
PURVIEW_EXPORT std::string with_chunks(std::string text, const Operand& x,
                                       FunctionRef<void()> call);

/// What a reduction would do over the given axes, or over all. Throws `IndexError`.
PURVIEW_EXPORT std::string explain_reduced(const ChosenReducer& reduction, const AnyTensor& x,
                                           const std::optional<Shape>& axes);
template <ReducerValue R>
ChosenReducer explained(const R& reducer) {
    return ReducerParts<R>::chosen(reducer);
}

/// `explain(sum, x)`; `explain(sum, x, {0, 1})`; `explain(sum, x, 0)`; also of reducers of one's own.
template <ReducerValue R>
std::string explanation_of(const R& reducer, const AnyTensor& x) {
    return explain_reduced(explained(reducer), x, std::nullopt);
}
template <ReducerValue R>
std::string explanation_of(const R& reducer, const AnyTensor& x, AxisValues axes) {
    return explain_reduced(explained(reducer), x, to_shape(axes));
}
template <ReducerValue R, IndexInteger Axis>
std::string explanation_of(const R& reducer, const AnyTensor& x, Axis axis) {
    return explain_reduced(explained(reducer), x, Shape{static_cast<index_t>(axis)});
}

/// `explain(sum, x, k)`, `explain(sum, x, i, 0)` for a tensor with dims.
template <typename Operation, HasDims X, AxisLike... A>
std::string explanation_of(const ReduceFunction<Operation>& reducer, const X& x,
                           const A&... given) {
    Axes axes;
    (axes.add(given), ...);
    const auto reduction = dims_to_reduce(Operation::kName, dim_operand(x),
                                          sizeof...(A) == 0 ? nullptr : &axes, false);
    return explain_reduced(
        explained(reducer),
        AnyTensor(kSums<Operation> ? summand_over_dims(reduction.operand) : reduction.operand),
        reduction.axes);
}

/// `explain(cumsum, x)`, `explain(cumsum, x, 0)`, of elements of a built-in type.
template <typename Fold>
std::string explanation_of(const AlongFunction<ScanAlong<Fold>>& function, const AnyTensor& x,
                           index_t axis = -1) {
    constexpr const char* kName = ScanAlong<Fold>::kName;
    return with_chunks(explain_scan(kName, Fold::kReduction, axis_parts(kName, x.operand(), axis)),
                       x.operand(), [&] { function(x, axis); });
}

/// `explain(sort, x)`, `explain(argsort, x, 0)`, of elements of a built-in type.
PURVIEW_EXPORT std::string explanation_of(const SortingFunction<SortAlong>& sort,
                                          const AnyTensor& x, index_t axis = -1);
PURVIEW_EXPORT std::string explanation_of(const SortingFunction<ArgsortAlong>& argsort,
                                          const AnyTensor& x, index_t axis = -1);

/// `explain(matmul, a, b)`, `explain(dot, a, b)`. Throw what the calls throw.
PURVIEW_EXPORT std::string explanation_of(const MatmulFunction& matmul, const AnyTensor& x,
                                          const AnyTensor& y);
PURVIEW_EXPORT std::string explanation_of(const DotFunction& dot, const AnyTensor& x,
                                          const AnyTensor& y);

} // namespace purview
