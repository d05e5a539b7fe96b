#pragma once

#include "evaluation/stages.hpp"

#include <iosfwd>
#include <span>
#include <string>

namespace purview::inline v0_1 {

/// Writes the nodes below `outputs`, one per line and numbered in order, then the stages, and below
/// each one how it is done, if `ways` say so.
void print_program(std::ostream& out, std::span<const Operand> outputs,
                   std::span<const NodePtr> placeholders, std::span<const ProgramStage> stages,
                   std::span<const std::string> ways = {});

} // namespace purview
