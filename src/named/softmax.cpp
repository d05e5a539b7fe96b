#include <purview/dimensions/repeated_groups.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/softmax.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/derivatives.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/named/softmax.hpp>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

/// The softmax of groups that are consecutive in the global order.
template <typename R>
Operand softmax_of_groups(const Operand& x, index_t group) {
    Operand result = results_like("softmax", x, kDType<R>, x.dims.max_shape());
    if (const index_t size = result.dims.size(); size > 0)
        softmax_elements(cast_operand(x, kDType<R>, Op::cast), size / group, result);
    return result;
}

/// The same of symbols, as nodes.
Operand traced_softmax(const Operand& x, index_t group) {
    const DType dtype = x.dtype();
    const index_t size = x.dims.size();
    if (size == 0) return x;
    const index_t groups = size / group;
    const auto of_groups = [&](Reduction reduction, const Operand& elements) {
        const Operand folded = reduce_operand(reduction, elements, groups, ShapeSpan(&groups, 1));
        return Operand{folded.node, dimensions::repeated_groups(x.dims.max_shape(), groups)};
    };
    const Operand greatest = without_derivative(of_groups(Reduction::maximum, x));
    const Operand power =
        unary_operand(Op::exp, binary_operand(Op::subtract, x, greatest, dtype, dtype), dtype);
    const Operand sum = of_groups(Reduction::sum, power);
    return binary_operand(Op::divide, power, sum, dtype, dtype);
}

} // namespace

DimOperand softmax_operand(const DimOperand& given, const Axes& axes, DType result) {
    DimOperand x = settled(given);
    require_not_sparse("softmax", x.operand);
    DimReduction reduction = dims_to_reduce("softmax", x, &axes, false);
    const int rank = x.operand.dims.rank();
    Shape order;
    for (index_t axis = 0; axis < rank; ++axis)
        if (std::ranges::count(reduction.axes, axis) == 0) order.push_back(axis);
    index_t group = 1;
    for (const index_t axis : reduction.axes) {
        group *= x.operand.dims.max_shape()[static_cast<std::size_t>(axis)];
        order.push_back(axis);
    }
    const Operand source{x.operand.node, dimensions::transpose(x.operand.dims, order)};
    const Operand values = source.node->reads(Below::symbol)
                               ? traced_softmax(cast_operand(source, result, Op::cast), group)
                           : result == float32 ? softmax_of_groups<float>(source, group)
                                               : softmax_of_groups<double>(source, group);
    Shape restoring_permutation(order.size(), 0);
    for (std::size_t at = 0; at < order.size(); ++at)
        restoring_permutation[static_cast<std::size_t>(order[at])] = static_cast<index_t>(at);
    return {{values.node, dimensions::transpose(values.dims, restoring_permutation)},
            std::move(x.dims)};
}

} // namespace purview
