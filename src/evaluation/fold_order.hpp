#pragma once

#include <purview/base/index.hpp>
#include <purview/expression/reduce.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

// The order in which elements are folded, which decides the bits of sums of floats. The CPU and
// purview::gpu fold in the same one.

/// Whether neighbours are joined before what lies farther apart: lanes i and i + 1, instead of
/// halves. Factors often alternate between large ones and small ones, whose products would overflow
/// by themselves.
constexpr bool joins_neighbours(Reduction reduction, bool of_floats) noexcept {
    return of_floats && reduction == Reduction::product;
}

/// The lanes of sums and products of floats.
inline constexpr std::size_t kLanesOfFloats = 32;
/// The lanes of short groups of neighbours, which have at least twice as many elements.
inline constexpr index_t kCellLanes = 8;

/// The number of elements after which lanes are joined. In sums of floats at most 256 (float32: 128)
/// elements then accumulate on a lane, in products 128 (float32: 32), before results are combined
/// pairwise. The other folds are exact; any_of and all_of ask after each chunk whether they are decided.
constexpr index_t chunk_of_fold(Reduction reduction, bool of_floats, bool of_bools,
                                std::size_t bytes) noexcept {
    if (of_floats && reduction == Reduction::sum) return bytes == 4 ? 4096 : 8192;
    if (of_floats && reduction == Reduction::product) return bytes == 4 ? 1024 : 4096;
    return of_bools ? 16384 : 65536 / static_cast<index_t>(bytes);
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
