#include "reader/cached_chunk.hpp"
#include "reader/temporary_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

index_t memory_limit() { return ChunkCache::instance().limit(); }

void set_memory_limit(index_t bytes) {
    if (bytes < 0) throw ShapeError(fmt::format("set_memory_limit: {} bytes are negative", bytes));
    ChunkCache::instance().set_limit(bytes);
}

std::string temporary_directory() { return temporary_folder(); }

index_t temporary_limit() { return temporary_file_limit(); }

void set_temporary_limit(index_t bytes) {
    if (bytes < 0)
        throw ShapeError(fmt::format("set_temporary_limit: {} bytes are negative", bytes));
    temporary_file_limit() = bytes;
}

void drop_cached_chunks() {
    if (ChunkCache* const cache = ChunkCache::existing()) cache->drop();
}

ChunkStatistics chunk_statistics() {
    const ChunkCounts counts = ChunkCache::instance().counts();
    return {counts.chunks_read, counts.chunks_written, counts.cache_hits, counts.bytes_read,
            counts.peak_bytes};
}

void reset_chunk_statistics() { ChunkCache::instance().reset_counts(); }

} // namespace purview
