#pragma once

#include "engine/boxes/region.hpp"

#include <purview/reader/chunks.hpp>

#include <vector>

namespace purview::inline v0_1::engine {

/// A shape cut into cells, in which work is done one after the other. Cells depend on shapes alone, so
/// that results of parts are joined in one order, whatever the memory limit and the threads are.
class CellGrid {
public:
    /// Whether several chunks make up a cell where they are small.
    enum class Small : bool { joined, apart };
    /// Cuts a view, which has elements, where it passes from one chunk to the next, and where it wraps
    /// round. A listed axis is cut into equal parts, so that cells have the bytes of a chunk; axes that
    /// follow none of the chunks are cut where cells would be large.
    CellGrid(ShapeSpan shape, const FollowedAxes& followed, const Chunks& chunks,
             Small small = Small::joined);

    /// One cell.
    explicit CellGrid(ShapeSpan shape) : counts_(shape.size(), 1) {
        for (const index_t extent : shape) ends_.push_back({extent});
    }

    std::size_t rank() const noexcept { return ends_.size(); }
    /// The number of cells along each axis, and of all.
    const Shape& counts() const noexcept { return counts_; }
    index_t count() const noexcept { return count_; }
    /// The cell of a row-major number.
    Shape place_of(index_t number) const;
    /// From the cell at `first` up to, and without, the cells at `last`.
    Box box(ShapeSpan first, ShapeSpan last) const;
    Box box_of(ShapeSpan cell) const;
    /// Not smaller than any cell, along each axis.
    Box largest() const;

private:
    std::vector<Shape> ends_; ///< of cells along each axis
    Shape counts_;
    index_t count_ = 1;
};

} // namespace purview::engine
