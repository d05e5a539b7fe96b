#pragma once

#include <purview/expression/leaf.hpp>

#include <string>

namespace purview::engine {

/// Whether a source is strided memory that `copy_strided` copies to strided memory of the same type.
bool can_copy_strided(const Operand& source, const Leaf& leaf);

/// How `copy_strided` would do it. Reads no element.
std::string describe_copy(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// Copies strided memory to strided memory of the same built-in type, with the kernels that are made
/// for it. They do not overlap.
void copy_strided(const Operand& source, const Leaf& leaf, const Dimensions& dims);

} // namespace purview::engine
