#include "reader/cached_chunk.hpp"

#include <purview/base/checked.hpp>
#include <purview/reader/chunks.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1 {

ChunkStore::ChunkStore() : table_(std::make_unique<ChunkTable>()) {}

ChunkStore::~ChunkStore() {
    if (ChunkCache* const cache = ChunkCache::existing()) cache->forget_all(*table_);
}

Chunks::Chunks(ChunkGrid grid, std::shared_ptr<ChunkStore> store)
    : grid_(std::move(grid)),
      element_count_(checked_size(grid_.shape, "ChunkGrid")),
      store_(store != nullptr ? std::move(store) : std::make_shared<ChunkStore>()) {
    bool fits = grid_.chunk.size() == grid_.shape.size();
    for (const index_t extent : grid_.chunk) fits = fits && extent >= 1;
    if (!fits)
        throw ShapeError(fmt::format("ChunkGrid: chunks of shape {} do not fit the shape {}: there "
                                     "is one extent, from 1 on, for each axis",
                                     to_string(grid_.chunk), to_string(grid_.shape)));
    elements_per_chunk_ = checked_size(grid_.chunk, "ChunkGrid");
    for (std::size_t axis = 0; axis < grid_.shape.size(); ++axis) {
        const index_t extent = grid_.shape[axis];
        counts_.push_back(extent == 0 ? 0 : (extent - 1) / grid_.chunk[axis] + 1);
    }
    count_ = checked_size(counts_, "ChunkGrid");
}

Chunks::~Chunks() = default;

std::optional<NumberBounds> Chunks::bounds_of_chunk(ShapeSpan /*at*/) const { return std::nullopt; }

void Chunks::will_read(ShapeSpan /*at*/) const {}

void Chunks::write_chunk_from(ShapeSpan /*at*/, const void* /*elements*/) {
    throw ReadOnlyError("write_chunk: these chunks are only read");
}

void Chunks::erase_chunk_at(ShapeSpan /*at*/) {
    throw ReadOnlyError("erase_chunk: these chunks are only read");
}

Shape chunk_place(const Chunks& chunks, index_t number) {
    Shape at = to_shape(chunks.counts());
    for (std::size_t axis = at.size(); axis-- > 0;) {
        const index_t count = std::exchange(at[axis], number % at[axis]);
        number /= count;
    }
    return at;
}

index_t chunk_number(const Chunks& chunks, ShapeSpan at) noexcept {
    index_t number = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        number = number * chunks.counts()[axis] + at[axis];
    return number;
}

} // namespace purview
