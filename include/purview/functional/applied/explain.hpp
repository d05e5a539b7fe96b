#pragma once

#include <purview/functional/reductions/product.hpp>
#include <purview/tensor/explain.hpp>

#include <optional>
#include <string>

namespace purview::inline v0_1 {

/// What a reduction called `what` would do over the given axes, or over all. Throws `IndexError`.
PURVIEW_EXPORT std::string explain_fold(const char* what, Reduction reduction, const AnyTensor& x,
                                        const std::optional<Shape>& axes);

template <typename Operation>
inline constexpr Reduction kReductionOf = Reduction::sum;
template <typename Fold>
inline constexpr Reduction kReductionOf<FoldOperation<Fold>> = Fold::kReduction;

/// `explain(sum, x)`; `explain(sum, x, {0, 1})`; `explain(sum, x, 0)`.
template <typename Operation>
std::string explanation_of(const ReduceFunction<Operation>&, const AnyTensor& x) {
    return explain_fold(Operation::kName, kReductionOf<Operation>, x, std::nullopt);
}
template <typename Operation>
std::string explanation_of(const ReduceFunction<Operation>&, const AnyTensor& x, AxisValues axes) {
    return explain_fold(Operation::kName, kReductionOf<Operation>, x, to_shape(axes));
}
template <typename Operation, IndexInteger Axis>
std::string explanation_of(const ReduceFunction<Operation>&, const AnyTensor& x, Axis axis) {
    return explain_fold(Operation::kName, kReductionOf<Operation>, x,
                        Shape{static_cast<index_t>(axis)});
}

/// `explain(sum, x, k)`, `explain(sum, x, i, 0)` for a tensor with dims.
template <typename Operation, HasDims X, AxisLike... A>
std::string explanation_of(const ReduceFunction<Operation>&, const X& x, const A&... given) {
    Axes axes;
    (axes.add(given), ...);
    const auto reduction = dims_to_reduce(Operation::kName, dim_operand(x),
                                          sizeof...(A) == 0 ? nullptr : &axes, false);
    return explain_fold(
        Operation::kName, kReductionOf<Operation>,
        AnyTensor(kSums<Operation> ? summand_over_dims(reduction.operand) : reduction.operand),
        reduction.axes);
}

/// `explain(matmul, a, b)`, `explain(dot, a, b)`. Throw what the calls throw.
PURVIEW_EXPORT std::string explanation_of(const MatmulFunction& matmul, const AnyTensor& x,
                                          const AnyTensor& y);
PURVIEW_EXPORT std::string explanation_of(const DotFunction& dot, const AnyTensor& x,
                                          const AnyTensor& y);

} // namespace purview
