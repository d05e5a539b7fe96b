#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/index_set.hpp>

#include <cstdint>

namespace purview {

/// The row-major indexes of the true elements of a bool operand, ascending, in memory of that size. Reads
/// every element once, on several threads where that is worth it; takes a bit for each meanwhile.
PURVIEW_EXPORT BufferPtr<std::int64_t> true_positions(const Operand& source);

/// The same as a set. Takes nothing for those indexes but the set.
PURVIEW_EXPORT IndexSet true_set(const Operand& source);

/// The index of the first true element of a bool operand, or -1. Reads no more than it has to, and a block.
PURVIEW_EXPORT index_t first_true(const Operand& source);

} // namespace purview
