#pragma once

#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// Where blocks of the first axis of operands of one shape end, so that each may be read after the other: where chunks of
/// all end, as far as blocks of `most` coordinates go, or of `longest` where chunks want it; else anywhere.
PURVIEW_EXPORT Shape row_block_ends(std::span<const Operand> columns, index_t most,
                                    index_t longest);

} // namespace purview
