#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/boxes/cell_grid.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/loaded_region.hpp"
#include "engine/compile/values.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::engine {

/// A part of an evaluation: the operand in the box, over memory.
struct WalkedCell {
    index_t number;
    Shape place;
    Box box;
    const Operand& operand;
};

/// The chunks of a destination, as a view of it has its elements in them.
struct DestinationChunks {
    Chunks& chunks;
    FollowedAxes followed;
};

/// An evaluation of an expression over arrays of chunks, cut into cells: in each, what it reads of the
/// arrays lies in memory, whole chunks as they are, other regions put together from chunks. Where the
/// chunks of several arrays do not match, regions are put together for groups of cells, so that as few
/// chunks are read as the memory limit allows. Decided without reading an element.
class ChunkWalk {
public:
    /// The operand has to outlive it. Cells are those of a destination in chunks, if there is one, each
    /// in one of its chunks; else small chunks may be joined, where what is done is worth it. `depth`: how many pieces it
    /// is within.
    explicit ChunkWalk(const Operand& source, const DestinationChunks* destination = nullptr,
                       CellGrid::Small small = CellGrid::Small::joined, int depth = 0);
    ~ChunkWalk();
    ChunkWalk(const ChunkWalk&) = delete;
    ChunkWalk& operator=(const ChunkWalk&) = delete;

    /// Whether there is an array of chunks that can be walked along, or a destination in chunks:
    /// otherwise elements are read through the cache.
    explicit operator bool() const noexcept { return grid_.has_value() || !pieces_.empty(); }

    /// What `concat` and the like put together is walked piece by piece, each in cells of its own. Empty
    /// for others; otherwise there is no `grid`.
    struct Piece;
    const std::vector<Piece>& pieces() const noexcept { return pieces_; }
    const CellGrid& grid() const noexcept { return *grid_; }
    /// Of the operand.
    ShapeSpan shape() const noexcept { return source_.dims.max_shape(); }

    using Work = FunctionRef<void(const WalkedCell& cell)>;
    /// What the work of a cell needs beside what it reads, and how many threads may do it.
    struct Needs {
        index_t bytes = 0;
        index_t waiting = 0; ///< what is kept of other cells meanwhile, for each thread
        index_t held = 0;    ///< until all cells are done
        bool one_thread = false;
    };
    /// Calls `work` once for each cell. Cells begin in the order of their numbers, group by group.
    /// Throws `MemoryLimitError` naming `what`, and what reading chunks throws.
    void run(const char* what, Needs needs, Work work) const;

    /// How many chunks are read then, and how many there are to be read: less, where some are read again.
    struct Reads {
        index_t all;
        index_t different;
    };
    Reads reads(Needs needs) const;
    /// The bytes that cannot be done without: where one thread does one cell after the other.
    index_t fewest_bytes() const;
    /// The extents of a cell, along each axis; of pieces, in the first.
    Shape largest_cell() const;

    /// "in 512 cells of up to (64 64 64), 512 chunks read, …"
    std::string describe(Needs needs) const;

private:
    /// A leaf of chunks, as the expression sees it.
    struct Array {
        ValueId value;
        const Chunks* chunks;
        FollowedAxes followed;
    };
    /// How cells are put into groups.
    struct Groups {
        Shape cells;              ///< in a group, along each axis
        std::vector<bool> shared; ///< arrays that are put together for the group
        std::vector<bool> once;  ///< arrays whose chunks are not wanted again while they are cached
        index_t group_bytes = 0; ///< of these
        index_t cell_bytes = 0;  ///< what a cell needs beside them
        index_t chunks = 0;      ///< that are read
        int most_threads = 1;
        int threads = 1; ///< that the memory limit has room for
    };
    class GroupRun;

    void find_arrays();
    void find_pieces(const DestinationChunks* destination, CellGrid::Small small, int depth);
    Groups choose_groups(Needs needs) const;
    void grow(Groups& groups, index_t room) const;
    index_t bytes_of_group(const Groups& groups) const;
    index_t reads_of(const Array& array, ShapeSpan cells_of_group) const;
    int most_threads(Needs needs) const;

    const Operand& source_;
    Values values_;
    std::vector<Array> arrays_;
    std::optional<CellGrid> grid_;
    std::vector<Piece> pieces_;
    bool thread_safe_ = true;
};

/// What to do with small chunks where results do not depend on cells: they are joined while the memory limit has room for
/// such cells on all threads.
CellGrid::Small small_chunks_now();

struct ChunkWalk::Piece {
    std::unique_ptr<const PartOfOperand> part;
    std::unique_ptr<const DestinationChunks> destination;
    std::unique_ptr<const ChunkWalk> walk;

    /// The cell of this piece in the coordinates of all.
    WalkedCell placed(const WalkedCell& cell) const {
        return {cell.number, cell.place, cell.box.after(part->box.begin), cell.operand};
    }
};

} // namespace purview::engine
