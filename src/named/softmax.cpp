#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/evaluate.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/named/softmax.hpp>
#include <purview/tensor/as_span.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace purview {
namespace {

/// As many elements are read at a time as stay in the first-level cache, or a group.
constexpr index_t kBlock = 2048;

template <typename R>
void normalise(R* group, index_t count) {
    // Less the greatest, no exponential overflows, and one of them is 1.
    R greatest = -std::numeric_limits<R>::infinity();
    for (index_t i = 0; i < count; ++i) greatest = std::max(greatest, group[i]);
    R sum = 0;
    for (index_t i = 0; i < count; ++i) sum += group[i] = std::exp(group[i] - greatest);
    const R scale = 1 / sum;
    for (index_t i = 0; i < count; ++i) group[i] *= scale;
}

/// Of groups that follow one another in the global order.
template <typename R>
Operand softmax_of_groups(const Operand& x, index_t group) {
    MutableTensor<R> result = empty<R>(x.dims.max_shape());
    const Operand source = cast_operand(x, kDType<R>, Op::cast);
    const Evaluation evaluation(source);
    const index_t size = evaluation.size();
    if (size > 0) {
        R* const out = as_span(result).data();
        const index_t step = std::max(kBlock / group, index_t{1}) * group;
        for (index_t begin = 0; begin < size; begin += step) {
            const index_t count = std::min(step, size - begin);
            evaluation.read(begin, count, out + begin);
            for (index_t at = begin; at < begin + count; at += group) normalise(out + at, group);
        }
    }
    return result.operand();
}

} // namespace

DimOperand softmax_operand(const DimOperand& given, const Axes& axes, DType result) {
    DimOperand x = settled(given);
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
    Operand values = result == float32 ? softmax_of_groups<float>(source, group)
                                       : softmax_of_groups<double>(source, group);
    Shape back(order.size(), 0);
    for (std::size_t at = 0; at < order.size(); ++at)
        back[static_cast<std::size_t>(order[at])] = static_cast<index_t>(at);
    return {{values.node, dimensions::transpose(values.dims, back)}, std::move(x.dims)};
}

} // namespace purview
