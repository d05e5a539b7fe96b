#pragma once

#include <purview/expression/node.hpp>

#include "engine/boxes/region.hpp"
#include "reader/chunk_cache.hpp"

#include <memory>
#include <optional>

namespace purview::inline v0_1::engine {

/// A region that lies in one chunk: the number of the chunk, and the box of the view over its elements.
struct PartOfChunk {
    index_t number;
    Dimensions view;
};
/// Nothing if the region lies in several, or an axis is mapped.
std::optional<PartOfChunk> part_of_chunk(const Chunks& chunks, const Region& region);

/// A region of an array of chunks, in memory: the chunk itself where it lies in one, else put together
/// from chunks, each of which is read once.
class LoadedRegion {
public:
    /// How it is loaded: by how many threads, and whether chunks will not be wanted again before
    /// others take their place.
    struct How {
        const char* what;
        int threads = 1;
        bool once = false;
    };
    /// Counts the bytes that are put together against the memory limit. Throws what reading throws,
    /// and `MemoryLimitError`.
    LoadedRegion(const Chunks& chunks, const Region& region, How how);
    LoadedRegion(const LoadedRegion&) = delete;
    LoadedRegion& operator=(const LoadedRegion&) = delete;

    /// The box of the view that the region is of, over that memory. Valid as long as this exists.
    Operand operand() const { return {node_, view_}; }

private:
    bool is_one_chunk(const Chunks& chunks, const Region& region, bool once);
    void put_together(const Chunks& chunks, const Region& region, How how);

    PinnedChunk pin_;
    CountedBytes counted_;
    std::shared_ptr<void> elements_;
    NodePtr node_;
    Dimensions view_;
};

/// Says of each chunk that has elements of the region that it will be read soon.
void announce(const Chunks& chunks, const Region& region);

/// Whether chunks that a region reads have all their elements in it, as far as it has no lists and no steps.
bool reads_whole_chunks(const Chunks& chunks, const Region& region);

/// The bytes that it takes to load a region: of the one chunk that is pinned, or of the elements put
/// together and the chunk that is read.
index_t bytes_to_load(const Chunks& chunks, const Region& region);

} // namespace purview::engine
