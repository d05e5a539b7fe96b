#include "engine/loops/tiling.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kDeepestInCache = 16;
constexpr index_t kDeepestInFiles = 64;
/// Blocks of columns lie in the third level of the cache, of which a thread has so many times the second.
constexpr index_t kShareOfThirdLevel = 4;
/// Steps that copy states to where they have margins, and back.
constexpr index_t kCopies = 2;
/// Rows that take a step together, at least: they share what they read of those beside them. Planes are too long for that.
constexpr index_t kLeastTogether = 4;
index_t longest(const TiledStates& states, std::size_t axis) {
    index_t most = 1;
    for (const Shape& shape : states.shapes)
        if (shape.size() > axis) most = std::max(most, shape[axis]);
    return most;
}

TiledAxis axis_of(const AxisReach& reach, index_t extent) {
    TiledAxis axis;
    axis.extent = extent;
    axis.reach = std::max(reach.below, reach.above);
    axis.is_ring = reach.is_ring;
    return axis;
}

/// Wedges meet within an axis.
index_t deepest_of(const TiledAxis& axis) {
    return axis.extent / std::max<index_t>(2 * axis.reach, 1);
}

/// Cuts columns into blocks, so that rows of a block stay in the cache.
void cut_columns(Tiling& tiling, const TiledAxis& columns, index_t bytes_of_row) {
    tiling.together = 1;
    const index_t reach = std::max<index_t>(tiling.rows.reach, 1);
    const index_t bytes = bytes_of_row / columns.extent + 1;
    for (index_t depth = std::min(kDeepestInCache / 2 + tiling.copies, deepest_of(tiling.rows));
         depth >= 2; --depth) {
        // Wedges are to be smaller than blocks.
        const index_t narrowest = std::max<index_t>(4 * depth * columns.reach, 1);
        const index_t widest = kShareOfThirdLevel * tile_sizes.cache_bytes /
                               (bytes * (tiling.together + reach * (depth + 1)));
        if (widest < narrowest) continue;
        tiling.depth = depth;
        if (widest >= columns.extent) return;
        tiling.columns = columns;
        tiling.columns.blocks = (columns.extent + widest - 1) / widest;
        return;
    }
}

} // namespace

constinit TileSizes tile_sizes;

index_t TiledStates::bytes_of_row() const {
    index_t sum = 0;
    for (std::size_t i = 0; i < rule.states; ++i) {
        if (!chains.is_computed(i)) continue;
        index_t row = rule.step->placeholders[i]->dtype().size_bytes();
        for (std::size_t a = 1; a < shapes[i].size(); ++a) row *= shapes[i][a];
        sum += row * static_cast<index_t>(chains.length(i) + (may_overwrite(i) ? 0 : 1));
    }
    return sum;
}

bool may_overwrite(const StateChains& chains, const StepBoxes& boxes, std::size_t head) {
    const std::size_t length = chains.length(head);
    return length > 1 && !boxes.moves[chains.member(head, length - 1)];
}

Tiling tiling_of(const TiledStates& states, index_t bytes_of_others, index_t in_memory) {
    Tiling tiling;
    tiling.copies = states.boxes.margins.empty() ? 0 : kCopies;
    tiling.rows = axis_of(states.boxes.rows, longest(states, 0));
    tiling.columns.extent = longest(states, 1);
    const index_t row = std::max<index_t>(states.bytes_of_row() + bytes_of_others, 1);
    const index_t reach = std::max<index_t>(tiling.rows.reach, 1);
    tiling.together =
        std::clamp<index_t>(tile_sizes.together_bytes / row,
                            std::min(kLeastTogether, tiling.rows.extent), tiling.rows.extent);
    const auto depth_in = [&](index_t bytes) {
        return std::min((bytes / row - tiling.together) / reach - 1, deepest_of(tiling.rows));
    };
    if (in_memory > 0) {
        // Each pass reads and writes files, which takes longer than memory does.
        tiling.together = std::clamp<index_t>(in_memory / row / 4, 1, tiling.together);
        tiling.depth = std::clamp<index_t>(depth_in(in_memory), 1, kDeepestInFiles);
        tiling.rest_rows = std::max<index_t>(in_memory / row / 8, 1);
        return tiling;
    }
    tiling.depth = std::min(kDeepestInCache + tiling.copies, depth_in(tile_sizes.cache_bytes));
    if (tiling.depth < 4 && states.boxes.columns_move && tiling.columns.extent > 1)
        cut_columns(tiling, axis_of(states.boxes.columns, tiling.columns.extent), row);
    tiling.depth -= tiling.copies;
    if (tiling.depth < 2) tiling.depth = 0;
    return tiling;
}

Tiling tiling_in(const TiledStates& states, index_t bytes_of_others, const StateWindow& window,
                 ShapeSpan whole) {
    Tiling tiling = tiling_of(states, bytes_of_others, 0);
    const auto open = [&](TiledAxis& axis, std::size_t number, const AxisReach& reach) {
        if (whole.size() <= number || window.is_whole(number, whole[number])) return;
        axis.reach = std::max(reach.below, reach.above);
        axis.is_ring = false;
        axis.is_open_before = !window.has_begin(number, whole[number], reach);
        axis.is_open_behind = !window.has_end(number, whole[number], reach);
    };
    open(tiling.rows, 0, states.boxes.rows);
    open(tiling.columns, 1, states.boxes.columns);
    tiling.depth = std::max<index_t>(tiling.depth, 1);
    return tiling;
}

} // namespace purview::engine
