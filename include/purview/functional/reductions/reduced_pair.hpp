#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/functional/reductions/reduce_over.hpp>

#include <array>
#include <utility>

namespace purview::inline v0_1 {

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

/// The reduction of a pair that `work` implements, with a policy for NaN; with `leads` >= 0, the
/// axis that it adds at the end comes to that place.
PURVIEW_EXPORT Operand reduce_pair(const char* what, const ReducedPair& pair, NanRule nan,
                                   index_t leads, PairsWork work);
/// The reduction of two tensors without dims that `work` implements, broadcast to one shape, over
/// axes; with `leads` >= 0, the axis that it adds at the end comes to that place.
PURVIEW_EXPORT Operand reduce_pairs_over_axes(const char* what, const Operand& x, const Operand& y,
                                              const ChosenAxes& chosen, index_t leads,
                                              PairsWork work);

/// A reduction of two tensors, batched over the dims of both: `work(pair)` returns memory of
/// float64, of the shape of the views; with `leads`, with one more axis at the end, which then is
/// moved before the positional axes.
template <TensorLike X, TensorLike Y>
ResultHandle<double, X, Y> reduce_pairs(const char* what, const X& x, const Y& y,
                                        const ChosenAxes& chosen, bool leads, PairsWork work) {
    if constexpr (HasDims<X> || HasDims<Y>) {
        if (chosen.nan == NanRule::refuse) {
            require_no_nan(what, x);
            require_no_nan(what, y);
        }
        const auto a = settled(bound_operand(x));
        const auto b = settled(bound_operand(y));
        using Bound = std::remove_const_t<decltype(a)>;
        std::array<Operand, 2> both;
        const auto dims = broadcast_over_dims(what, std::array<const Bound*, 2>{&a, &b}, both);
        auto reduction =
            dims_to_reduce(what, Bound(both[0], dims), chosen.axes_if_given(), chosen.keep);
        const ReducedPair pair = reduced_pair(what, both[0], both[1], reduction.axes, chosen.keep);
        const index_t lead = leads ? reduction.lead() : -1;
        return ResultHandle<double, X, Y>(
            std::move(reduction).result(reduce_pair(what, pair, chosen.nan, lead, work)));
    } else {
        return Tensor<double>(
            reduce_pairs_over_axes(what, x.operand(), y.operand(), chosen, leads ? 0 : -1, work));
    }
}

} // namespace purview
