#pragma once

#include <purview/expression/node.hpp>

namespace purview {

/// The indexes `lowest`, `lowest + 1`, …, `highest`, of rank 1: of memory that all share where they are small, else
/// computed. Of none if `highest < lowest`.
PURVIEW_EXPORT Operand progression_operand(index_t lowest, index_t highest);

} // namespace purview
