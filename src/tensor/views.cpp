#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/tensor/views.hpp>

namespace purview::inline v0_1 {

Operand transpose_operand(const Operand& x, ShapeSpan permutation) {
    return {x.node, dimensions::transpose(x.dims, permutation)};
}
Operand swap_axes_operand(const Operand& x, ShapeSpan axes) {
    return {x.node, dimensions::swap_axes(x.dims, axes[0], axes[1])};
}
Operand move_axis_operand(const Operand& x, ShapeSpan from_and_to) {
    return {x.node, dimensions::move_axis(x.dims, from_and_to[0], from_and_to[1])};
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
Operand new_axis_operand(const Operand& x, ShapeSpan axis) {
    return {x.node, dimensions::new_axis(x.dims, axis[0])};
}
Operand diagonal_operand(const Operand& x, ShapeSpan given) {
    return {x.node, dimensions::diagonal(x.dims, given[0], given[1], given[2])};
}
Operand sliding_window_operand(const Operand& x, ShapeSpan given) {
    return {x.node, dimensions::sliding_window(x.dims, given[0], given[1], given[2])};
}

Shape axes_of_size_one(ShapeSpan shape) {
    Shape axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] == 1) axes.push_back(static_cast<index_t>(axis));
    return axes;
}

Shape reversed_axes(ShapeSpan shape) {
    Shape axes;
    for (index_t axis = std::ssize(shape); axis-- > 0;) axes.push_back(axis);
    return axes;
}

} // namespace purview
