#include "reader/chunk_pieces.hpp"

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// More pieces than this are sorted part by part, so that they take little memory.
constexpr std::size_t kPiecesAtOnce = std::size_t{1} << 20;

/// Where the element of an address is: its chunk, its place there, and its coordinates.
class ChunkAddress {
public:
    explicit ChunkAddress(const Chunks& chunks)
        : chunks_(chunks), coordinates_(chunks.counts().size()) {}

    void find(index_t address) {
        const ChunkGrid& grid = chunks_.grid();
        index_t chunks_below = 1;
        index_t elements_below = 1;
        chunk = 0;
        offset = 0;
        for (std::size_t axis = grid.shape.size(); axis-- > 0;) {
            const index_t rest = address / grid.shape[axis];
            coordinates_[axis] = address - rest * grid.shape[axis];
            address = rest;
            const index_t place = coordinates_[axis] / grid.chunk[axis];
            chunk += place * chunks_below;
            offset += (coordinates_[axis] - place * grid.chunk[axis]) * elements_below;
            chunks_below *= chunks_.counts()[axis];
            elements_below *= grid.chunk[axis];
        }
    }
    /// How many elements follow along an axis, this one included, `step` coordinates apart and in the same chunk.
    index_t run(std::size_t axis, index_t step) const {
        const ChunkGrid& grid = chunks_.grid();
        const index_t within = coordinates_[axis] % grid.chunk[axis];
        if (step < 0) return within / -step + 1;
        const index_t beyond =
            std::min(grid.shape[axis] - coordinates_[axis], grid.chunk[axis] - within);
        return (beyond - 1) / step + 1;
    }

    index_t chunk = 0;
    index_t offset = 0;

private:
    const Chunks& chunks_;
    Shape coordinates_;
};

/// The axis that steps between elements of a block go along, if rows do not end: the outermost one of which the step
/// is whole coordinates.
struct BlockAxis {
    BlockAxis(const ChunkGrid& grid, index_t step_between) {
        index_t elements_below = 1;
        index_t in_chunk_below = 1;
        for (std::size_t i = grid.shape.size(); i-- > 0;) {
            if (step_between % elements_below != 0) break;
            axis = i;
            step = step_between / elements_below;
            step_in_chunk = step * in_chunk_below;
            elements_below *= grid.shape[i];
            in_chunk_below *= grid.chunk[i];
        }
    }

    std::size_t axis = 0;
    index_t step = 0;
    index_t step_in_chunk = 0;
};

void for_groups(std::vector<ChunkPiece>& pieces, PiecesOfChunk work) {
    const auto earlier = [](const ChunkPiece& a, const ChunkPiece& b) { return a.chunk < b.chunk; };
    if (!std::is_sorted(pieces.begin(), pieces.end(), earlier))
        std::stable_sort(pieces.begin(), pieces.end(), earlier);
    for (std::size_t begin = 0, end = 0; begin < pieces.size(); begin = end) {
        while (end < pieces.size() && pieces[end].chunk == pieces[begin].chunk) ++end;
        work(pieces[begin].chunk, std::span(pieces).subspan(begin, end - begin));
    }
    pieces.clear();
}

} // namespace

void for_chunks_of_block(const Chunks& chunks, index_t begin, index_t step, index_t count,
                         PiecesOfChunk work) {
    if (count <= 0) return;
    if (count == 1) step = 0;
    const bool has_axes = !chunks.grid().shape.empty();
    const BlockAxis along(chunks.grid(), step);
    ChunkAddress at(chunks);
    std::vector<ChunkPiece> pieces;
    for (index_t done = 0; done < count;) {
        at.find(begin + done * step);
        const index_t run =
            !has_axes || step == 0 ? count : std::min(count - done, at.run(along.axis, along.step));
        const ChunkPiece piece{at.chunk, at.offset, along.step_in_chunk, run, done};
        if (run == count) return work(piece.chunk, std::span(&piece, 1));
        pieces.push_back(piece);
        done += run;
        if (pieces.size() == kPiecesAtOnce) for_groups(pieces, work);
    }
    for_groups(pieces, work);
}

void for_chunks_of_list(const Chunks& chunks, std::span<const index_t> indexes,
                        PiecesOfChunk work) {
    ChunkAddress at(chunks);
    std::vector<ChunkPiece> pieces;
    pieces.reserve(std::min(indexes.size(), kPiecesAtOnce));
    // The addresses of the row of one chunk that the last index lies in.
    index_t row = 0;
    index_t row_end = 0;
    index_t offset = 0;
    const std::size_t rank = chunks.counts().size();
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const index_t index = indexes[i];
        if (index < row || index >= row_end) {
            at.find(index);
            row = index;
            row_end = index + (rank == 0 ? 1 : at.run(rank - 1, 1));
            offset = at.offset;
        }
        pieces.push_back({at.chunk, offset + (index - row), 0, 1, static_cast<index_t>(i)});
        if (pieces.size() == kPiecesAtOnce) for_groups(pieces, work);
    }
    for_groups(pieces, work);
}

} // namespace purview
