// Defines purview/reader/chunks.hpp.
#include "reader/chunk_cache.hpp"
#include "reader/chunk_pieces.hpp"
#include "reader/strided_elements.hpp"

#include <purview/reader/chunks.hpp>

namespace purview::inline v0_1 {
namespace {

void read_pieces(const Chunks& chunks, index_t number, std::span<const ChunkPiece> pieces,
                 void* out) {
    const PinnedChunk chunk = pinned_chunk(chunks, number, PinFor::copying);
    const DType dtype = chunks.element_type();
    const index_t size = dtype.size_bytes();
    for (const ChunkPiece& piece : pieces)
        copy_elements(dtype, piece.count,
                      {chunk.data() + (chunk.is_fill() ? 0 : piece.offset * size),
                       chunk.is_fill() ? 0 : piece.step * size},
                      {static_cast<std::byte*>(out) + piece.first * size, size});
}

} // namespace

void Chunks::read_elements(index_t begin, index_t step, index_t count, void* out) const {
    for_chunks_of_block(*this, begin, step, count,
                        [&](index_t number, std::span<const ChunkPiece> pieces) {
                            read_pieces(*this, number, pieces, out);
                        });
}

void Chunks::gather_elements(std::span<const index_t> indexes, void* out) const {
    for_chunks_of_list(*this, indexes, [&](index_t number, std::span<const ChunkPiece> pieces) {
        read_pieces(*this, number, pieces, out);
    });
}

} // namespace purview
