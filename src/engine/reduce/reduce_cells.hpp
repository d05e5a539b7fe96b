#pragma once

#include "engine/compile/plan.hpp"
#include "engine/folds/fold_kind.hpp"

#include <purview/expression/node.hpp>

namespace purview::engine {

/// Cells are computed into scratch before they are folded, so one has to fit there.
inline constexpr index_t kLargestCell = kBlock;

/// Folds the cells that the elements of a source make up, in their order.
void reduce_cells(const FoldKind& kind, const Operand& source, Cell cell, std::byte* out);

} // namespace purview::engine
