#pragma once

#include <purview/expression/node.hpp>

#include "engine/realise/slab_grid.hpp"
#include "reader/chunk_cache.hpp"
#include "reader/temporary_file.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// The elements of an operand over chunks in a temporary file: of each slab, what each cell of the walk has of it. Each
/// cell is computed once.
class StoredSlabs {
public:
    /// Those axes come first in memory along which cells end before slabs do, so that what a cell has of a slab lies
    /// together there.
    StoredSlabs(const char* what, const Operand& operand, const ChunkWalk& walk,
                const SlabGrid& slabs);

private:
    friend class LoadedSlab;
    struct Part {
        Box box;
        index_t at; ///< in the file
    };
    void store(const WalkedCell& cell);
    /// A box of these extents, as it lies in memory.
    Dimensions in_memory(ShapeSpan extents) const;

    const char* what_;
    DType dtype_;
    Shape order_; ///< of axes in memory
    const SlabGrid& slabs_;
    TemporaryFile file_;
    std::mutex mutex_;
    std::vector<std::vector<Part>> parts_; ///< of each slab
};

/// The same with the walk and the slabs that they are made by.
struct SlabsInFile {
    SlabsInFile(const char* what, const Operand& operand, CellGrid::Small small, SlabGrid slabs)
        : walk(operand, nullptr, small),
          grid(std::move(slabs)),
          stored(what, operand, walk, grid) {}

    ChunkWalk walk;
    SlabGrid grid;
    StoredSlabs stored;
};

/// A slab, put together in memory that counts against the memory limit.
class LoadedSlab {
public:
    LoadedSlab(const StoredSlabs& stored, index_t number);
    LoadedSlab(const LoadedSlab&) = delete;
    LoadedSlab& operator=(const LoadedSlab&) = delete;

    const Operand& operand() const noexcept { return operand_; }

private:
    void load(const StoredSlabs& stored, const StoredSlabs::Part& part);

    Box box_;
    CountedBytes counted_;
    void* memory_ = nullptr;
    Operand operand_;
};

} // namespace purview::engine
