#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/announce_chunks.hpp>
#include <purview/functional/assembly/blocks.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {

OperandBlocks::OperandBlocks(const Operand& x, ShapeSpan block)
    : x_(x), block_(to_shape(block)), count_(x.dims.size() > 0 ? 1 : 0) {
    const ShapeSpan shape = x.dims.max_shape();
    if (block.size() != shape.size())
        throw ShapeError(fmt::format("blocks: blocks of shape {} for a tensor of shape {}",
                                     to_string(block), to_string(shape)));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (block[axis] < 1)
            throw ShapeError(
                fmt::format("blocks: blocks of shape {}: extents are from 1 on", to_string(block)));
        block_[axis] = std::min(block[axis], std::max(shape[axis], index_t{1}));
        counts_.push_back((shape[axis] + block_[axis] - 1) / block_[axis]);
        count_ *= counts_[axis];
    }
}

Shape OperandBlocks::begin(index_t number) const {
    Shape begin(counts_.size());
    for (std::size_t axis = counts_.size(); axis-- > 0; number /= counts_[axis])
        begin[axis] = number % counts_[axis] * block_[axis];
    return begin;
}

Operand OperandBlocks::view(index_t number) const {
    const ShapeSpan shape = x_.dims.max_shape();
    const Shape first = begin(number);
    Operand part = x_;
    for (std::size_t axis = 0; axis < first.size(); ++axis)
        if (block_[axis] != shape[axis])
            part.dims = dimensions::select(
                part.dims, static_cast<index_t>(axis),
                Range(first[axis], std::min(first[axis] + block_[axis], shape[axis])));
    return part;
}

Operand OperandBlocks::part(index_t number) const {
    if (number + 1 < count_) announce_chunks(view(number + 1));
    return view(number);
}

} // namespace purview
