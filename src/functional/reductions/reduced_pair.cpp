#include <purview/dimensions/transpose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/reduced_pair.hpp>

namespace purview {

ReducedPair reduced_pair(const char* what, const Operand& x, const Operand& y, ShapeSpan axes,
                         bool keep) {
    return {reduced_view(what, x, axes, keep), reduced_view(what, y, axes, keep),
            static_cast<index_t>(axes.size())};
}

Operand reduce_pair(const char* what, const ReducedPair& pair, NanRule nan, index_t leads,
                    PairsWork work) {
    Operand made = nan == NanRule::skip ? reduce_non_nan(what, pair, work) : work(pair);
    if (leads >= 0) made.dims = dimensions::move_axis(made.dims, -1, leads);
    return made;
}

Operand reduce_pairs_over_axes(const char* what, const Operand& x, const Operand& y,
                               const ChosenAxes& chosen, index_t leads, PairsWork work) {
    if (chosen.nan == NanRule::refuse) {
        require_no_nan(what, x, {});
        require_no_nan(what, y, {});
    }
    std::array both{x, y};
    broadcast_operands(both, what);
    const ReducedPair pair =
        reduced_pair(what, both[0], both[1], chosen.axes.positional(what), chosen.keep);
    return reduce_pair(what, pair, chosen.nan, leads, work);
}

} // namespace purview
