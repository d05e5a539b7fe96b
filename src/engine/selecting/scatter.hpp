#pragma once

#include <purview/evaluation/scatter.hpp>
#include <purview/expression/gather.hpp>

namespace purview::inline v0_1::engine {

/// Writes, adds or compares the elements of a source to what a view of a gather from a writable leaf
/// shows. All indexes are checked, and the source is computed, before anything is written; or
/// what was written is put back if an index is out of range.
void scatter_to_gather(ScatterKind how, const Operand& source, const Gather& gather,
                       const Dimensions& view);

} // namespace purview::engine
