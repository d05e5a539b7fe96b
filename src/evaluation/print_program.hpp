#pragma once

#include "evaluation/stages.hpp"

#include <iosfwd>
#include <span>

namespace purview::inline v0_1 {

/// Writes the nodes below `outputs`, one per line and numbered in order, then the stages.
void print_program(std::ostream& out, std::span<const Operand> outputs,
                   std::span<const NodePtr> placeholders, std::span<const ProgramStage> stages);

} // namespace purview
