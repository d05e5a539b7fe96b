#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/boxes/chunk_walk.hpp"
#include "engine/ways/way.hpp"

#include <memory>
#include <optional>
#include <string>

namespace purview::inline v0_1 {
class WrittenChunk; // reader/written_chunk.hpp
}

namespace purview::inline v0_1::engine {

/// An assignment from an expression over arrays of chunks, to an array of chunks, or both, cell by
/// cell. Chunks of a destination are written whole, each once; those of which only a part is assigned
/// are read first.
class ChunkedAssign {
public:
    /// Whether it can be done so: the source does not depend on the destination, in which no elements
    /// share an address. Asked once; both have to outlive this.
    bool find(const Operand& source, const Operand& destination);
    /// Cells are computed by the ways that are allowed.
    void run(Ways allowed) const;
    std::string describe() const;
    ChunkWalk::Reads reads() const { return walk_->reads(needs()); }

private:
    ChunkWalk::Needs needs() const;
    void assign_to_chunks(const WalkedCell& cell, Ways allowed) const;
    NodePtr of_chunk(WrittenChunk& chunk) const;

    const Operand* destination_ = nullptr;
    std::optional<DestinationChunks> chunks_;
    std::unique_ptr<const ChunkWalk> walk_;
};

} // namespace purview::engine
