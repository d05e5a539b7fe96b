#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>

#include <cstdint>

namespace purview {

/// The row-major indexes of the true elements of a bool operand, ascending, in memory of that size. Reads
/// every element once, on several threads where that is worth it; takes a bit for each meanwhile.
PURVIEW_EXPORT BufferPtr<std::int64_t> true_positions(const Operand& source);

} // namespace purview
