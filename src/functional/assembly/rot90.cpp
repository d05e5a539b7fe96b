#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/functional/assembly/rot90.hpp>

#include <fmt/format.h>

namespace purview {

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
