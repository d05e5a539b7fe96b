#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// A leaf of `count` contiguous elements at `memory`, which stays the caller's and must outlive the
/// leaf.
NodePtr memory_leaf(DType dtype, void* memory, index_t count);

} // namespace purview::engine
