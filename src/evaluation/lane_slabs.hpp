#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <span>
#include <string>

namespace purview::inline v0_1 {

/// A part of an operand, over memory, which begins at these coordinates.
using SlabWork = FunctionRef<void(const Operand& slab, ShapeSpan begin)>;

/// Calls `work` with parts of an operand over arrays of chunks, so that each lies in memory, within the memory limit,
/// and all along the axes `whole`. The operand itself, at once, if it fits or has no chunks. Where parts would want
/// chunks more than twice, what the operand is goes to a temporary file first, part by part, so that each chunk is read
/// once. Throws `MemoryLimitError` naming `what` where a part with one coordinate along each other axis does not fit.
///
/// `beside`: bytes that `work` may count for each element of a slab, and may have beside it.
PURVIEW_EXPORT void for_each_slab(const char* what, const Operand& operand, ShapeSpan whole,
                                  SlabWork work, index_t beside = 0);

/// Whether a part with one coordinate along each other axis has room, so that `for_each_slab` can be called.
PURVIEW_EXPORT bool slabs_have_room(const Operand& operand, ShapeSpan whole, index_t beside = 0);

/// How many chunks are read of operands where they are read by cells; which others are not, in words.
std::string chunks_of(std::span<const Operand> operands);

} // namespace purview
