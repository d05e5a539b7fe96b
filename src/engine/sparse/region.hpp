#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/compile/values.hpp"
#include "engine/pairs/lists.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// For each value: whether it is the root, or a sparse or constant value that is reached from the
/// root through such values alone. The others are dense, or below dense values: only the elements
/// that are asked for are read.
std::vector<bool> sparse_region(const Values& values);

/// The elements of a dense operand at row-major indexes, lazily: an operand of shape `[count]`. The
/// memory of the list must outlive it.
Operand gathered_at(const Operand& source, const IndexSpan& list);

} // namespace purview::engine
