// Defines evaluation/row_blocks.hpp.

#include "evaluation/row_blocks.hpp"

#include "engine/boxes/chunk_walk.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// The ends of cells along the first axis; nothing if there are none.
std::optional<Shape> cell_ends(const Operand& column) {
    if (!column.node->reads(Below::blocks)) return std::nullopt;
    const ChunkWalk walk(column, nullptr, CellGrid::Small::apart);
    if (!walk || !walk.pieces().empty()) return std::nullopt;
    Shape ends;
    Shape place(walk.shape().size(), 0);
    for (index_t& at = place[0]; at < walk.grid().counts()[0]; ++at)
        ends.push_back(walk.grid().box_of(place).end[0]);
    return ends;
}

/// The last end in (from, to], or -1.
index_t last_end(const Shape& ends, index_t from, index_t to) {
    const auto after = std::ranges::upper_bound(ends, to);
    return after == ends.begin() || *std::prev(after) <= from ? -1 : *std::prev(after);
}

} // namespace

Shape row_block_ends(std::span<const Operand> columns, index_t most, index_t longest) {
    const index_t rows = columns[0].dims.max_shape()[0];
    std::optional<Shape> common;
    Shape any;
    for (const Operand& column : columns) {
        const std::optional<Shape> ends = cell_ends(column);
        if (!ends) continue;
        Shape both;
        std::ranges::set_union(any, *ends, std::back_inserter(both));
        any = std::move(both);
        if (common) {
            Shape shared;
            std::ranges::set_intersection(*common, *ends, std::back_inserter(shared));
            common = std::move(shared);
        } else {
            common = *ends;
        }
    }
    Shape blocks;
    for (index_t from = 0; from < rows; from = blocks.back()) {
        index_t end = common ? last_end(*common, from, from + most) : -1;
        if (end < 0 && common) {
            const auto next = std::ranges::upper_bound(*common, from);
            if (next != common->end() && *next <= from + longest) end = *next;
        }
        if (end < 0) end = last_end(any, from, from + most);
        blocks.push_back(end < 0 ? std::min(from + most, rows) : end);
    }
    return blocks;
}

} // namespace purview
