#pragma once

#include "engine/compile/plan.hpp"
#include "engine/folds/fold_kind.hpp"

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// The most elements of a cell: cells are computed into a scratch block before they are folded.
inline constexpr index_t kLargestCell = kBlock;

/// Cuts the row-major order of a source into cells and folds the rows of each cell to `cell.width`
/// elements of `out`, one cell after the other.
void reduce_cells(const FoldKind& kind, const Operand& source, Cell cell, std::byte* out);

} // namespace purview::engine
