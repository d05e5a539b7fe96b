#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/functional/reductions/reduced_pair.hpp>

#include "functional/reductions/slab_results.hpp"

namespace purview::inline v0_1 {
namespace {

Operand reduced_in_slabs(const char*, const ReducedPair& pair,
                         FunctionRef<Operand(const ReducedPair&)> work) {
    return work(pair);
}

void bring(const ReducedView& view, Operand& made) { bring_to(view.operand, made); }
void bring(const ReducedPair& pair, Operand& made) {
    bring_to(pair.x.operand, made);
    bring_to(pair.y.operand, made);
}

/// Of a `ReducedView` or a `ReducedPair`.
template <typename View, typename Work>
Operand reduced(const char* what, const View& view, NanRule nan, index_t leads, const Work& work) {
    const auto of = [&](const View& part) -> Operand {
        return nan == NanRule::skip ? reduce_non_nan(what, part, work) : work(part);
    };
    Operand made = reduced_in_slabs(what, view, of);
    bring(view, made);
    if (leads >= 0) made.dims = dimensions::move_axis(made.dims, -1, leads);
    return made;
}

} // namespace

Operand reduce_view(const char* what, const ReducedView& view, NanRule nan, index_t leads,
                    PartsWork work) {
    return reduced(what, view, nan, leads, work);
}

Operand reduce_over_axes(const char* what, const Operand& x, const ChosenAxes& chosen,
                         index_t leads, PartsWork work) {
    if (chosen.nan == NanRule::refuse) require_no_nan(what, x, {});
    const Shape axes = chosen.positional(what, x.dims.rank());
    return reduced(what, reduced_view(what, x, axes, chosen.keep), chosen.nan, leads, work);
}

ReducedPair reduced_pair(const char* what, const Operand& x, const Operand& y, ShapeSpan axes,
                         bool keep) {
    return {reduced_view(what, x, axes, keep), reduced_view(what, y, axes, keep),
            static_cast<index_t>(axes.size())};
}

Operand reduce_pair(const char* what, const ReducedPair& pair, NanRule nan, index_t leads,
                    PairsWork work) {
    return reduced(what, pair, nan, leads, work);
}

Operand reduce_pairs_over_axes(const char* what, const Operand& x, const Operand& y,
                               const ChosenAxes& chosen, index_t leads, PairsWork work) {
    if (chosen.nan == NanRule::refuse) {
        require_no_nan(what, x, {});
        require_no_nan(what, y, {});
    }
    std::array both{x, y};
    broadcast_operands(both, what);
    const Shape axes = chosen.positional(what, both[0].dims.rank());
    return reduced(what, reduced_pair(what, both[0], both[1], axes, chosen.keep), chosen.nan, leads,
                   work);
}

} // namespace purview
