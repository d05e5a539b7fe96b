#pragma once

#include <purview/expression/leaf.hpp>

namespace purview::engine {

/// Assigns what is sparse, or to what is sparse, in time proportional to what is stored in both. False where that is
/// not to be had, and elements have to be computed one by one. `destination` can be written.
bool assign_sparse(const Operand& source, const Leaf& leaf, const Dimensions& destination);

} // namespace purview::engine
