#pragma once

#include <purview/expression/node.hpp>

#include <optional>

namespace purview::inline v0_1::derivatives {

/// `x` at the coordinates `begin` of an array of the shape `whole`, which is 0 elsewhere.
Operand zeros_around(const Operand& x, ShapeSpan begin, ShapeSpan whole);

/// x + y of two of these, or of sums of these, put together once: where both are ranges along one axis, each of which is
/// one of the other, too, or touches none. Else nothing.
std::optional<Operand> sum_of_ranges(const Operand& x, const Operand& y);

} // namespace purview::derivatives
