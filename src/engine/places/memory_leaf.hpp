#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// A leaf of `count` contiguous elements at `memory`, which stays the caller's and must outlive the
/// leaf.
NodePtr memory_leaf(DType dtype, void* memory, index_t count);
/// The same as an operand: an array of this shape, in row-major order.
Operand memory_operand(DType dtype, void* memory, ShapeSpan shape);

/// A leaf of new memory for `count` elements; `place` is set to its address.
NodePtr new_memory_leaf(DType dtype, index_t count, void*& place);

} // namespace purview::engine
