#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/reader/chunks.hpp>

#include <span>

namespace purview::inline v0_1 {

/// Elements of one chunk: `count` of them from `offset` on, `step` apart, and where they are in a list of elements that
/// somebody wants, from `first` on, one after the other.
struct ChunkPiece {
    index_t chunk;
    index_t offset;
    index_t step;
    index_t count;
    index_t first;
};

using PiecesOfChunk = FunctionRef<void(index_t chunk, std::span<const ChunkPiece> pieces)>;

/// Calls `work` for each chunk that has elements of a block or a list, with all of its pieces in their order: once per
/// chunk, in the order of chunks (once per 2²⁰ pieces, where there are more).
void for_chunks_of_block(const Chunks& chunks, index_t begin, index_t step, index_t count,
                         PiecesOfChunk work);
void for_chunks_of_list(const Chunks& chunks, std::span<const index_t> indexes, PiecesOfChunk work);

} // namespace purview
