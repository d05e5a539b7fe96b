#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/tensor/views.hpp>

namespace purview {

Operand transpose_operand(const Operand& x, ShapeSpan permutation) {
    return {x.node, dimensions::transpose(x.dims, permutation)};
}
Operand swap_axes_operand(const Operand& x, index_t axis0, index_t axis1) {
    return {x.node, dimensions::swap_axes(x.dims, axis0, axis1)};
}
Operand move_axis_operand(const Operand& x, index_t from, index_t to) {
    return {x.node, dimensions::move_axis(x.dims, from, to)};
}
Operand broadcast_operand(const Operand& x, ShapeSpan shape) {
    return {x.node, dimensions::broadcast(x.dims, shape)};
}
Operand rotate_operand(const Operand& x, ShapeSpan amounts) {
    return {x.node, dimensions::rotate(x.dims, amounts)};
}
Operand reshape_operand(const Operand& x, ShapeSpan shape) {
    return {x.node, dimensions::reshape(x.dims, shape)};
}
Operand flip_operand(const Operand& x, ShapeSpan axes) {
    return {x.node, dimensions::flip(x.dims, axes)};
}
Operand squeeze_operand(const Operand& x, ShapeSpan axes) {
    return {x.node, dimensions::squeeze(x.dims, axes)};
}
Operand squeeze_all_operand(const Operand& x) { return {x.node, dimensions::squeeze(x.dims)}; }
Operand new_axis_operand(const Operand& x, index_t axis) {
    return {x.node, dimensions::new_axis(x.dims, axis)};
}
Operand diagonal_operand(const Operand& x, index_t axis0, index_t axis1, index_t offset) {
    return {x.node, dimensions::diagonal(x.dims, axis0, axis1, offset)};
}
Operand sliding_window_operand(const Operand& x, index_t axis, index_t window, index_t step) {
    return {x.node, dimensions::sliding_window(x.dims, axis, window, step)};
}

Shape axes_of_size_one(ShapeSpan shape) {
    Shape axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] == 1) axes.push_back(static_cast<index_t>(axis));
    return axes;
}

Shape reversed_axes(int rank) {
    Shape axes;
    for (index_t axis = rank; axis-- > 0;) axes.push_back(axis);
    return axes;
}

} // namespace purview
