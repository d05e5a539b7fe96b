#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// A part of an operand, over memory, which begins at these coordinates.
using SlabWork = FunctionRef<void(const Operand& slab, ShapeSpan begin)>;

/// Calls `work` with parts of an operand over arrays of chunks, so that each lies in memory, within the memory limit,
/// and all along the axes `whole`. The operand itself, at once, if it fits or has no chunks. Where parts would want
/// chunks more than twice, what the operand is goes to a temporary file first, part by part, so that each chunk is read
/// once. Throws `MemoryLimitError` naming `what` where a part with one coordinate along each other axis does not fit.
void for_each_slab(const char* what, const Operand& operand, ShapeSpan whole, SlabWork work);

/// Whether a part with one coordinate along each other axis has room, so that `for_each_slab` can be called.
bool slabs_have_room(const Operand& operand, ShapeSpan whole);

/// How many chunks are read of operands where they are read by cells.
index_t chunks_of(std::span<const Operand> operands);

} // namespace purview
