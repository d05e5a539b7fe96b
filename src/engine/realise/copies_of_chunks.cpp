#include "evaluation/copies_of_chunks.hpp"

#include "engine/realise/chunked_assign.hpp"

namespace purview::inline v0_1 {

std::optional<CopiesOfChunks> copies_of_chunks(const Operand& source, const Operand& destination) {
    const engine::ChunkWalk walk(source);
    engine::ChunkedAssign assign;
    if (!walk || !assign.find(source, destination)) return std::nullopt;
    const engine::ChunkWalk::Reads reads = assign.reads();
    return CopiesOfChunks{reads.all, reads.different, walk.largest_cell()};
}

} // namespace purview
