#pragma once

#include "engine/folds/fold_kind.hpp"

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// Reduces a source to `groups` elements of `out`: its leading axes, which have `groups` elements
/// together, are kept, the others reduced. The order in memory decides whether that is done by
/// lanes, rows, cells or windows. With `averages`, sums of windows of floats are divided by the
/// number of their elements where they are computed: returns whether they are.
bool reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, bool averages,
                 std::byte* out);

} // namespace purview::engine
