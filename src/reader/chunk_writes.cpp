// Defines purview/reader/chunks.hpp.
#include "reader/chunk_pieces.hpp"
#include "reader/strided_elements.hpp"
#include "reader/written_chunk.hpp"

#include <purview/reader/chunks.hpp>

#include <mutex>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Whether the pieces, of a block or of a list in which elements may be twice, have all elements that lie inside.
bool cover(std::span<const ChunkPiece> pieces, index_t inside, index_t per_chunk) {
    index_t count = 0;
    for (const ChunkPiece& piece : pieces) count += piece.count;
    if (count < inside) return false;
    std::vector<bool> seen(static_cast<std::size_t>(per_chunk));
    for (const ChunkPiece& piece : pieces)
        for (index_t i = 0; i < piece.count; ++i) {
            auto&& bit = seen[static_cast<std::size_t>(piece.offset + i * piece.step)];
            inside -= bit ? 0 : 1;
            bit = true;
        }
    return inside == 0;
}

void write_pieces(Chunks& whole, index_t number, std::span<const ChunkPiece> pieces,
                  const void* values) {
    const Chunks& chunks = whole.written_chunks();
    const DType dtype = chunks.element_type();
    const index_t size = dtype.size_bytes();
    WrittenChunk written(whole, number);
    const std::scoped_lock lock(written.lock());
    if (cover(pieces, elements_to_replace(chunks, number), chunks.elements_per_chunk()))
        written.start_from_fill();
    else
        written.start_from_stored();
    for (const ChunkPiece& piece : pieces)
        copy_elements(dtype, piece.count,
                      {static_cast<const std::byte*>(values) + piece.first * size, size},
                      {written.data() + piece.offset * size, piece.step * size});
    written.store();
}

} // namespace

void Chunks::write_elements(index_t begin, index_t step, index_t count, const void* values) {
    for_chunks_of_block(written_chunks(), begin, step, count,
                        [&](index_t number, std::span<const ChunkPiece> pieces) {
                            write_pieces(*this, number, pieces, values);
                        });
}

void Chunks::scatter_elements(std::span<const index_t> indexes, const void* values) {
    for_chunks_of_list(written_chunks(), indexes,
                       [&](index_t number, std::span<const ChunkPiece> pieces) {
                           write_pieces(*this, number, pieces, values);
                       });
}

} // namespace purview
