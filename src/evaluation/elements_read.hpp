#pragma once

#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// About how many elements computing some outputs once reads. A loop counts for all steps that it may take, a choice for the
/// function that reads more. As much as can be counted, at most.
index_t elements_read(std::span<const Operand> outputs);

} // namespace purview
