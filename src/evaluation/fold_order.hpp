#pragma once

#include <purview/base/index.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

// The order in which elements are folded, which decides the bits of sums of floats. The CPU and
// purview::gpu fold in the same one.

/// The lanes of sums and products of floats, joined by halving.
inline constexpr std::size_t kLanesOfFloats = 32;
/// The lanes of short groups of neighbours, which have at least twice as many elements.
inline constexpr index_t kCellLanes = 8;

/// The number of elements after which lanes are joined. In sums and products of floats at most 256
/// (float32: 128) elements then accumulate on a lane, before results are combined pairwise. The
/// other folds are exact; any_of and all_of ask after each chunk whether they are decided.
constexpr index_t chunk_of_fold(bool adds_floats, bool of_bools, std::size_t bytes) noexcept {
    return adds_floats ? (bytes == 4 ? 4096 : 8192)
           : of_bools  ? 16384
                       : 65536 / static_cast<index_t>(bytes);
}

/// Rows shorter than this are not worth a run of their own; blocks then span several.
inline constexpr index_t kShortestRow = 64;
/// Columns of a panel. A panel is a few rows of an operand that is contiguous across the rows of
/// the space: it is transposed into scratch.
inline constexpr index_t kPanelColumns = 512;

/// Rows accumulated one after the other, before partial results are combined: bounds the error of a
/// sum.
inline constexpr index_t kRowsInPart = 128;
/// The number of parts, each with a result of its own, to which an axis of `rows` elements is
/// reduced.
constexpr index_t parts_of(index_t rows) { return (rows + kRowsInPart - 1) / kRowsInPart; }

/// Groups of at least this many elements along the fastest axis are folded on the lanes of a
/// program.
inline constexpr index_t kLongGroup = 256;
/// The most elements of a row into which shorter rows are joined.
inline constexpr index_t kWideRow = 1024;
/// The most elements of a cell: cells are computed into a scratch block before they are folded.
inline constexpr index_t kLargestCell = 1024;

/// The most elements of a window. Larger windows are left to folds whose sums round less.
inline constexpr index_t kMostInWindow = 128;
/// The values that an expression of shifted views may consist of.
inline constexpr index_t kMostShiftedViews = 62;
/// Elements of outer axes that are folded as one expression.
inline constexpr index_t kMostFolded = 12;
/// The fewest results that are worth a program, and the fewest elements of a long row.
inline constexpr index_t kLeastResults = 64;

} // namespace purview
