#pragma once

#include <purview/expression/node.hpp>

#include "engine/ways/way.hpp"

namespace purview::inline v0_1::engine {

/// Writes every element of `source` to the element of `destination`, a view of a leaf that is
/// writable and not sparse, at the same coordinates. Types and shapes are equal. Correct also when
/// the two overlap. What would be computed several times is computed once, before; sparse operands
/// are read as if all of their elements were stored, in O(size). `assign` without its way for few
/// stored elements, for rooms below `sparse`.
void assign_dense(const Operand& source, const Operand& destination, Ways allowed = allowed_ways());

} // namespace purview::engine
