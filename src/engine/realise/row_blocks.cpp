// Defines evaluation/row_blocks.hpp.

#include "evaluation/row_blocks.hpp"

#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/chunk_walk.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/realise/stored_slabs.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

namespace {

/// In memory of its own.
Operand copied(const Operand& part) {
    void* memory = nullptr;
    const Operand copy{new_memory_leaf(part.dtype(), part.dims.size(), memory),
                       Dimensions::row_major(part.dims.max_shape())};
    assign_dense(part, copy);
    return copy;
}

} // namespace

struct RowBlocks::Stored : SlabsInFile {
    using SlabsInFile::SlabsInFile;
};

RowBlocks::RowBlocks(const char* what, const Operand& column, ShapeSpan ends, index_t room)
    : column_(&column), ends_(ends) {
    const ShapeSpan shape = column.dims.max_shape();
    if (shape.size() < 2 || !column.node->reads(Below::blocks)) return;
    Shape cell;
    {
        const ChunkWalk walk(column, nullptr, CellGrid::Small::apart);
        if (!walk) return;
        cell = walk.largest_cell();
    }
    const index_t element = column.dtype().size_bytes();
    index_t cell_bytes = element;
    for (const index_t extent : cell) cell_bytes *= extent;
    const index_t row_bytes = cell[0] * (column.dims.size() / shape[0]) * element;
    if (cell[0] <= ends[0] || row_bytes <= room || 2 * cell_bytes > memory_left()) return;
    std::vector<Shape> all(shape.size());
    for (std::size_t a = 0; a < shape.size(); ++a)
        all[a] = a == 0 ? to_shape(ends) : Shape{shape[a]};
    stored_ =
        std::make_unique<Stored>(what, column, CellGrid::Small::apart, SlabGrid(std::move(all)));
}
RowBlocks::RowBlocks(RowBlocks&&) noexcept = default;
RowBlocks::~RowBlocks() = default;

Operand RowBlocks::block(index_t number) const {
    if (stored_ != nullptr) {
        const LoadedSlab slab(stored_->stored, number);
        return copied(slab.operand());
    }
    Box box{Shape(column_->dims.max_shape().size(), 0), to_shape(column_->dims.max_shape())};
    const auto at = static_cast<std::size_t>(number);
    box.begin[0] = number == 0 ? 0 : ends_[at - 1];
    box.end[0] = ends_[at];
    return copied({column_->node, part_of(column_->dims, box)});
}

} // namespace purview
