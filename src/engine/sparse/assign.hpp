#pragma once

#include <purview/expression/leaf.hpp>

namespace purview::inline v0_1::engine {

/// Assigns a sparse (or constant) source to a leaf, or any source to a sparse leaf. O(stored in
/// both); O(size) where the source is dense, or its fill differs from that of a sparse leaf.
/// Returns false, with nothing written, where neither is sparse. `leaf` must be writable. Throws
/// `KindError` where too many elements would be computed or stored.
bool assign_sparse(const Operand& source, const Leaf& leaf, const Dimensions& destination);

} // namespace purview::engine
