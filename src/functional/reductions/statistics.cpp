#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <algorithm>

namespace purview::inline v0_1 {
// In reverse order, the last one is the first. All axes are reversed, and so is the order of
// groups.
void last_arg_extreme(Extreme extreme, const ReducedView& view, std::int64_t* out) {
    if (view.groups == 0) return;
    const index_t group = view.operand.dims.size() / view.groups;
    arg_extreme(extreme, {view.operand.node, dimensions::flip(view.operand.dims)}, view.groups,
                out);
    std::reverse(out, out + view.groups);
    for (index_t g = 0; g < view.groups; ++g) out[g] = group - 1 - out[g];
}

SparseBufferPtr<std::int64_t> last_arg_extreme_sparse(Extreme extreme, const ReducedView& view) {
    const index_t group = view.operand.dims.size() / view.groups;
    const SparseBufferPtr<std::int64_t> reversed = arg_extreme_sparse(
        extreme, {view.operand.node, dimensions::flip(view.operand.dims)}, view.groups);
    std::vector<index_t> cells;
    std::vector<std::int64_t> found;
    for (index_t i = reversed->stored(); i-- > 0;) {
        const auto place = static_cast<std::size_t>(i);
        cells.push_back(view.groups - 1 - reversed->indexes()[place]);
        found.push_back(group - 1 - reversed->values()[place]);
    }
    return std::make_shared<SparseBuffer<std::int64_t>>(
        view.groups, std::move(cells), std::move(found), group - 1 - reversed->fill());
}

Operand squared_deviations_operand(const ReducedView& view) {
    const Operand& x = view.operand;
    const DType dtype = x.dtype();
    const index_t group = view.groups == 0 ? 0 : x.dims.size() / view.groups;
    const Operand sums = reduce_operand(Reduction::sum, x, view.groups, ShapeSpan(&view.groups, 1));
    const Operand count = dtype == float32 ? constant_operand(static_cast<float>(group))
                                           : constant_operand(static_cast<double>(group));
    const Operand means = binary_operand(Op::divide, sums, count, dtype, dtype);
    const Operand repeated{means.node,
                           dimensions::repeated_groups(x.dims.max_shape(), view.groups)};
    const Operand difference = binary_operand(Op::subtract, x, repeated, dtype, dtype);
    return reduce_operand(Reduction::sum, unary_operand(Op::square, difference, dtype), view.groups,
                          view.shape);
}

} // namespace purview
