#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/reduce_over.hpp>

#include <array>
#include <utility>

namespace purview {

/// Two tensors arranged to be reduced together: broadcast to one shape, with the same reduced axes
/// last.
struct ReducedPair {
    ReducedView x;
    ReducedView y;
    index_t axes = 0; ///< the number of reduced axes
};
PURVIEW_EXPORT ReducedPair reduced_pair(const char* what, const Operand& x, const Operand& y,
                                        ShapeSpan axes, bool keep);

/// A reduction of a pair to memory of its shape, optionally with one more axis at the end.
using PairsWork = FunctionRef<Operand(const ReducedPair&)>;
/// Applies `work` to the pairs in which neither element is NaN. Otherwise as `reduce_non_nan` of
/// one view.
PURVIEW_EXPORT Operand reduce_non_nan(const char* what, const ReducedPair& pair, PairsWork work);

/// A reduction of two tensors, batched over the dims of both: `work(pair)` returns memory of `R`,
/// of the shape of the views; with `leads`, with one more axis at the end, which then is moved
/// before the positional axes.
template <typename R, TensorLike X, TensorLike Y, typename Work>
auto reduce_pairs(const char* what, const X& x, const Y& y, const ChosenAxes& chosen, bool leads,
                  Work work) {
    if (chosen.nan == NanRule::refuse) {
        require_no_nan(what, x);
        require_no_nan(what, y);
    }
    const auto arranged = [&](const ReducedPair& pair, index_t dims) {
        Operand made = chosen.nan == NanRule::skip ? reduce_non_nan(what, pair, work) : work(pair);
        if (leads) made.dims = dimensions::move_axis(made.dims, -1, dims);
        return made;
    };
    std::array<Operand, 2> both;
    if constexpr (HasDims<X> || HasDims<Y>) {
        const auto a = settled(bound_operand(x));
        const auto b = settled(bound_operand(y));
        using Bound = std::remove_const_t<decltype(a)>;
        const auto dims = broadcast_over_dims(what, std::array<const Bound*, 2>{&a, &b}, both);
        auto reduction =
            dims_to_reduce(what, Bound(both[0], dims), chosen.axes_if_given(), chosen.keep);
        const ReducedPair pair = reduced_pair(what, both[0], both[1], reduction.axes, chosen.keep);
        const auto left = static_cast<index_t>(reduction.left.size());
        return ResultHandle<R, X, Y>(std::move(reduction).result(arranged(pair, left)));
    } else {
        both = {x.operand(), y.operand()};
        broadcast_operands(both, what);
        const ReducedPair pair =
            reduced_pair(what, both[0], both[1], chosen.axes.positional(what), chosen.keep);
        return Tensor<R>(arranged(pair, 0));
    }
}

} // namespace purview
