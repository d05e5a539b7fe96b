#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/functional/assembly/tile.hpp>

#include <fmt/format.h>

namespace purview {
namespace {

void check_count(const char* what, index_t count) {
    if (count < 0) throw ShapeError(fmt::format("{}: {} is no number of repetitions", what, count));
}

Operand empty_of(const Operand& x, const Shape& shape) {
    return {x.node, Dimensions::strided(shape, Shape(shape.size(), 0))};
}

} // namespace

Operand tile_operand(const Operand& x, ShapeSpan repetitions) {
    Shape shape = to_shape(x.dims.max_shape());
    if (repetitions.size() > shape.size())
        shape.insert(shape.begin(), repetitions.size() - shape.size(), 1);
    const std::size_t first = shape.size() - repetitions.size();
    for (std::size_t i = 0; i < repetitions.size(); ++i) {
        check_count("tile", repetitions[i]);
        shape[first + i] = checked_multiply(shape[first + i], repetitions[i], "tile");
    }
    return checked_size(shape, "tile") == 0 ? empty_of(x, shape)
                                            : Operand{x.node, dimensions::broadcast(x.dims, shape)};
}

Operand repeat_operand(const Operand& x, index_t count, index_t axis) {
    check_count("repeat", count);
    const auto at = static_cast<std::size_t>(checked_axis(axis, x.dims.rank(), "repeat"));
    Shape shape = to_shape(x.dims.max_shape());
    Shape repeated = shape;
    repeated[at] = checked_multiply(shape[at], count, "repeat");
    if (checked_size(repeated, "repeat") == 0) return empty_of(x, repeated);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, 1);
    const Dimensions one = dimensions::reshape(x.dims, shape);
    shape[at + 1] = count;
    return {x.node, dimensions::reshape(dimensions::expand(one, shape), repeated)};
}

Operand roll_operand(const Operand& x, index_t shift, index_t axis) {
    Shape amounts(x.dims.max_shape().size(), 0);
    amounts[static_cast<std::size_t>(checked_axis(axis, x.dims.rank(), "roll"))] = shift;
    return {x.node, dimensions::rotate(x.dims, amounts)};
}

Shape roll_amounts(int rank, ShapeSpan shifts, ShapeSpan axes) {
    if (shifts.size() != axes.size() && shifts.size() != 1)
        throw ShapeError(fmt::format("roll: {} shifts along {} axes", shifts.size(), axes.size()));
    Shape amounts(static_cast<std::size_t>(rank), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        index_t& amount = amounts[static_cast<std::size_t>(checked_axis(axes[i], rank, "roll"))];
        amount = checked_add(amount, shifts[shifts.size() == 1 ? 0 : i], "roll");
    }
    return amounts;
}

Operand rot90_operand(const Operand& x, index_t axis0, index_t axis1, index_t turns) {
    const index_t first = checked_axis(axis0, x.dims.rank(), "rot90");
    const index_t second = checked_axis(axis1, x.dims.rank(), "rot90");
    if (first == second)
        throw IndexError(fmt::format("rot90: axes {} and {} are the same", axis0, axis1));
    const Shape from{first};
    const Shape to{second};
    switch ((turns % 4 + 4) % 4) {
    case 1: return swap_axes_operand(flip_operand(x, to), first, second);
    case 2: return flip_operand(flip_operand(x, from), to);
    case 3: return flip_operand(swap_axes_operand(x, first, second), to);
    default: return x;
    }
}

void Rot90Function::require_two(ShapeSpan axes) {
    if (axes.size() != 2)
        throw ShapeError(fmt::format("rot90: two axes make a plane, not {}", axes.size()));
}

} // namespace purview
