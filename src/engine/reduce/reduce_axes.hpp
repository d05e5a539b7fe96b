#pragma once

#include "engine/folds/fold_kind.hpp"

#include <purview/expression/node.hpp>

namespace purview::engine {

/// Reduces each of the groups that the leading axes make up, in the form that suits the memory.
void reduce_axes(const FoldKind& kind, const Operand& source, index_t groups, std::byte* out);

} // namespace purview::engine
