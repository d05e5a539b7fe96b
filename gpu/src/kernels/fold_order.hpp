#pragma once

#include "lowered.hpp"

namespace purview::inline v0_1::gpu::detail {

// The order in which the host folds, which decides the bits of sums of floats. Each constant names the host's file.

inline constexpr index_t kLanes =
    32; ///< of floats: kernels/table/kernel_table.hpp, accumulator_lanes
inline constexpr index_t kFewLanes =
    8; ///< folds/fold_cells.hpp, kCellLanes; from twice as many elements on
inline constexpr index_t kRowsInPart = 128; ///< reduce/reduce_rows.hpp
inline constexpr index_t kLongGroup =
    256; ///< reduce/reduce_axes.cpp; so are kWideRow and kLargestCell
inline constexpr index_t kWideRow = 1024;
inline constexpr index_t kLargestCell = 1024;
inline constexpr index_t kShortestRow = 64;   ///< compile/plan.hpp
inline constexpr index_t kPanelColumns = 512; ///< compile/plan.hpp, with Planner::find_panels
inline constexpr index_t kMostInWindow = 128; ///< reduce/reduce_windows.cpp; so are the next three
inline constexpr index_t kMostShiftedViews = 62;
inline constexpr index_t kMostFolded = 12;
inline constexpr index_t kLeastResults = 64;

/// The elements after which lanes are joined: folds/folds.hpp, Fold::kChunk.
constexpr index_t chunk_of(Reduction reduction, Stored type) noexcept {
    const bool adds = reduction == Reduction::sum || reduction == Reduction::product;
    if (is_float(type) && adds) return type == Stored::float64 ? 8192 : 4096;
    return type == Stored::boolean ? 16384 : 65536 / static_cast<index_t>(bytes_of(type));
}

/// What changes no element that is folded to it, as bits: folds/folds.hpp, Fold::start; or the fold of no elements, Fold::identity.
std::uint64_t start_of(Reduction reduction, Stored type) noexcept;
std::uint64_t identity_of(Reduction reduction, Stored type) noexcept;

// Groups of threads.
inline constexpr std::size_t kFoldThreads = 128; ///< of `Folding::lanes`
inline constexpr index_t kJoinedAtOnce = 1024;   ///< by the 256 threads of `join_text`
constexpr index_t threads_of(Folding::Way way) noexcept {
    return way == Folding::lanes ? kLanes : way == Folding::eight ? kFewLanes : 1;
}

} // namespace purview::gpu::detail
