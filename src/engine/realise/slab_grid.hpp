#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include "engine/boxes/chunk_walk.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// An operand over arrays of chunks cut into slabs: boxes of at most so many bytes with all along some axes. They end
/// where cells of the walk do, as far as those have room.
class SlabGrid {
public:
    /// Throws `MemoryLimitError` naming `what` where one coordinate along each other axis has no room.
    SlabGrid(const char* what, const Operand& operand, ShapeSpan whole, const ChunkWalk& walk,
             index_t room);
    /// Slabs that end there along each axis.
    explicit SlabGrid(std::vector<Shape> ends);

    index_t count() const noexcept { return count_; }
    Box box(index_t number) const;
    /// Calls `f` with the number of each slab that has elements of a box.
    void for_each_in(const Box& box, FunctionRef<void(index_t)> f) const;
    /// How many slabs want the same cell, at most.
    index_t reads() const noexcept { return reads_; }

private:
    void join_cells(const std::vector<std::size_t>& axes, index_t most_elements);
    void cut_cells(const std::vector<std::size_t>& axes, index_t most_elements);
    index_t longest(std::size_t axis) const;
    index_t most_elements() const; ///< of a slab
    index_t begin(std::size_t axis, index_t at) const {
        return at == 0 ? 0 : ends_[axis][static_cast<std::size_t>(at - 1)];
    }

    std::vector<Shape> ends_; ///< of slabs along each axis
    index_t count_ = 1;
    index_t reads_ = 1;
};

} // namespace purview::engine
