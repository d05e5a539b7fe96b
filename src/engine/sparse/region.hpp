#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/compile/values.hpp"
#include "engine/pairs/lists.hpp"

#include <vector>

namespace purview::engine {

/// By value: whether it is the root of a sparse expression, or something sparse or constant that is reached from it
/// through such alone. The rest is dense: no more of it is read than is asked for.
std::vector<bool> sparse_region(const Values& values);

/// The elements of a dense operand at row-major indexes: an operand of shape `[count]`, lazily; valid as long as the list
/// lies where it does.
Operand gathered_at(const Operand& source, const IndexSpan& list);

} // namespace purview::engine
