#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/assembly/concat.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Repeats operands over the dims (the axes before the last `rank`) that they lack.
void spread_dims(std::vector<Operand>& operands, int rank) {
    Shape common;
    for (const Operand& operand : operands) {
        const ShapeSpan shape = operand.dims.max_shape();
        common = dimensions::broadcast_shapes(
            common, shape.first(shape.size() - static_cast<std::size_t>(rank)));
    }
    if (common.empty()) return;
    for (Operand& operand : operands) {
        Shape shape = common;
        const ShapeSpan own = operand.dims.max_shape().last(static_cast<std::size_t>(rank));
        shape.insert(shape.end(), own.begin(), own.end());
        operand.dims = dimensions::expand(operand.dims, shape);
    }
}

/// The operand with a new axis of size 1 at a position that counts from the end.
Operand with_new_axis(const Operand& operand, index_t from_end) {
    Shape shape = to_shape(operand.dims.max_shape());
    shape.insert(shape.end() + from_end + 1, 1);
    return {operand.node, dimensions::reshape(operand.dims, shape)};
}

} // namespace

void check_joined_ranks(Joining how, std::span<const int> ranks) {
    for (const int rank : ranks)
        if (rank != ranks[0])
            throw ShapeError(fmt::format("{}: tensors have {} and {} positional axes",
                                         how == Joining::stack ? "stack" : "concat", ranks[0],
                                         rank));
}

Operand joined_operand(Joining how, std::vector<Operand> operands, index_t axis, int rank,
                       DType dtype) {
    const bool stacks = how == Joining::stack;
    const char* const what = stacks ? "stack" : "concat";
    const int ranks = rank + (stacks ? 1 : 0);
    const index_t from_end = operands.empty() ? -1 : checked_axis(axis, ranks, what) - ranks;
    const int axes = operands.empty() ? 0 : operands[0].dims.rank();
    for (Operand& operand : operands) {
        if (operand.dims.rank() != axes)
            throw ShapeError(fmt::format("{}: shapes {} and {} have different ranks", what,
                                         to_string(operands[0].dims.max_shape()),
                                         to_string(operand.dims.max_shape())));
        operand = convert_operand(operand, dtype, Op::cast);
        if (stacks) operand = with_new_axis(operand, from_end);
    }
    if (axes > rank) spread_dims(operands, ranks); // axes of dims come first
    return concat_operand(what, std::move(operands), from_end);
}

AnyTensor joined_any(Joining how, std::vector<Operand> operands, index_t axis) {
    const char* const what = how == Joining::stack ? "stack" : "concat";
    const int rank = operands.empty() ? 0 : operands[0].dims.rank();
    WeakOperand common{operands.empty() ? Operand{} : operands[0]};
    DType dtype = operands.empty() ? DType(float64) : common.operand.dtype();
    for (std::size_t i = 1; i < operands.size(); ++i) {
        if (operands[i].dtype() == dtype) continue;
        WeakOperand next{operands[i]};
        dtype = computed_dtype(what, common, next);
        common.operand = convert_operand(common.operand, dtype, Op::cast);
    }
    return AnyTensor(joined_operand(how, std::move(operands), axis, rank, dtype));
}

} // namespace purview
