#pragma once

#include <purview/expression/node.hpp>

#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The same operands, with equal nodes below them replaced by one: nodes are equal if they are the
/// same operation on the same operands, or the same number. Iterative.
std::vector<Operand> share_nodes(std::span<const Operand> roots);

} // namespace purview
