#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::derivatives {

/// `x` at the coordinates `begin` of an array of the shape `whole`, which is 0 elsewhere.
Operand zeros_around(const Operand& x, ShapeSpan begin, ShapeSpan whole);

} // namespace purview::derivatives
