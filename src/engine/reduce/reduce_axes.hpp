#pragma once

#include "engine/folds/fold_kind.hpp"

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// Reduces a source to `groups` elements of `out`: its leading axes, which have `groups` elements
/// together, are kept, the others reduced. The order in memory decides whether that is done by
/// lanes, rows, cells or windows.
void reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, std::byte* out);

} // namespace purview::engine
