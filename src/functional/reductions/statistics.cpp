#include <purview/dimensions/repeated_groups.hpp>
#include <purview/functional/reductions/statistics.hpp>

#include "evaluation/numbers_only.hpp"

namespace purview::inline v0_1 {
Operand squared_deviations_operand(const ReducedView& view) {
    const Operand& x = view.operand;
    const DType dtype = x.dtype();
    const index_t group = view.groups == 0 ? 0 : x.dims.size() / view.groups;
    const Operand sums = reduce_operand(Reduction::sum, x, view.groups, ShapeSpan(&view.groups, 1));
    const Operand count = float_constant(dtype, static_cast<double>(group));
    const Operand means = binary_operand(Op::divide, sums, count, dtype, dtype);
    const Operand repeated{means.node,
                           dimensions::repeated_groups(x.dims.max_shape(), view.groups)};
    const Operand difference = binary_operand(Op::subtract, x, repeated, dtype, dtype);
    return reduce_operand(Reduction::sum, unary_operand(Op::square, difference, dtype), view.groups,
                          view.shape);
}

} // namespace purview
