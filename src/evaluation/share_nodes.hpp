#pragma once

#include <purview/expression/node.hpp>

#include <span>
#include <vector>

namespace purview {

/// The operands with equal nodes below them made one: the same operation on the same operands, or the
/// same number. Iterative.
std::vector<Operand> share_nodes(std::span<const Operand> roots);

} // namespace purview
