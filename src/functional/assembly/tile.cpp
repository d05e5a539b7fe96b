#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/functional/assembly/tile.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
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

Operand repeat_operand(const Operand& x, ShapeSpan axis_and_count) {
    const index_t axis = axis_and_count[0];
    const index_t count = axis_and_count[1];
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

Operand roll_operand(const Operand& x, ShapeSpan given) {
    return rotate_operand(x, roll_amounts(x.dims.rank(), given.subspan(1, 1), given.first(1)));
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

Operand rot90_operand(const Operand& x, ShapeSpan given) {
    const Shape plane{checked_axis(given[0], x.dims.rank(), "rot90"),
                      checked_axis(given[1], x.dims.rank(), "rot90")};
    if (plane[0] == plane[1])
        throw IndexError(fmt::format("rot90: axes {} and {} are the same", given[0], given[1]));
    const Shape to{plane[1]};
    switch ((given[2] % 4 + 4) % 4) {
    case 1: return swap_axes_operand(flip_operand(x, to), plane);
    case 2: return flip_operand(x, plane);
    case 3: return flip_operand(swap_axes_operand(x, plane), to);
    default: return x;
    }
}

void Rot90Function::require_two(ShapeSpan axes) {
    if (axes.size() != 2)
        throw ShapeError(fmt::format("rot90: two axes make a plane, not {}", axes.size()));
}

} // namespace purview
