#include <purview/dimensions/transpose.hpp>
#include <purview/functional/reductions/reduce_over.hpp>

namespace purview {

Operand reduce_view(const char* what, const ReducedView& view, NanRule nan, index_t leads,
                    PartsWork work) {
    Operand made = nan == NanRule::skip ? reduce_non_nan(what, view, work) : work(view);
    if (leads >= 0) made.dims = dimensions::move_axis(made.dims, -1, leads);
    return made;
}

Operand reduce_over_axes(const char* what, const Operand& x, const ChosenAxes& chosen,
                         index_t leads, PartsWork work) {
    if (chosen.nan == NanRule::refuse) require_no_nan(what, x, {});
    return reduce_view(what,
                       reduced_view(what, x, chosen.positional(what, x.dims.rank()), chosen.keep),
                       chosen.nan, leads, work);
}

} // namespace purview
