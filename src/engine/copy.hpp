#pragma once

#include <purview/expression/leaf.hpp>

namespace purview::engine {

/// Copies strided memory to strided memory of the same built-in type, with the kernels that are made
/// for it. Returns false, having done nothing, if the source is anything else. They do not overlap.
bool copy_strided(const Operand& source, const Leaf& leaf, const Dimensions& dims);

} // namespace purview::engine
