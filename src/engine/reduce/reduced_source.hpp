#pragma once

#include "engine/compile/values.hpp"
#include "evaluation/fold_axes.hpp"

namespace purview::inline v0_1::engine {

/// Arranges a source that keeps its leading axes, as many as have `groups` elements. False if it is
/// not computed from strided memory alone: then it is read in the order it is given in.
bool arrange(const Operand& source, index_t groups, ArrangedSource& arranged);

} // namespace purview::engine
