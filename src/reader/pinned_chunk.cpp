// Defines reader/chunk_cache.hpp.
#include "base/explained_call.hpp"
#include "reader/cached_chunk.hpp"
#include "reader/chunk_cache.hpp"

#include <utility>

namespace purview::inline v0_1 {

PinnedChunk::PinnedChunk(std::shared_ptr<CachedChunk> chunk, PinFor use) noexcept
    : chunk_(std::move(chunk)),
      data_(static_cast<const std::byte*>(chunk_->memory.get())),
      is_fill_(chunk_->is_fill),
      use_(use) {}

PinnedChunk::PinnedChunk(const PinnedChunk& other) noexcept
    : chunk_(other.chunk_), data_(other.data_), is_fill_(other.is_fill_), use_(other.use_) {
    if (chunk_ != nullptr) ChunkCache::existing()->pin_again(*chunk_, use_);
}

PinnedChunk::PinnedChunk(PinnedChunk&& other) noexcept
    : chunk_(std::move(other.chunk_)),
      data_(other.data_),
      is_fill_(other.is_fill_),
      use_(other.use_) {}

PinnedChunk& PinnedChunk::operator=(PinnedChunk other) noexcept {
    std::swap(chunk_, other.chunk_);
    std::swap(data_, other.data_);
    std::swap(is_fill_, other.is_fill_);
    std::swap(use_, other.use_);
    return *this;
}

PinnedChunk::~PinnedChunk() {
    if (chunk_ != nullptr) ChunkCache::existing()->unpin(std::move(chunk_), use_);
}

PinnedChunk pinned_chunk(const Chunks& chunks, index_t number, PinFor use) {
    explained_as(
        [] { return std::string("elements are read as they are wanted, through the cache"); });
    return {ChunkCache::instance().pin(chunks, number, use), use};
}

CountedBytes::CountedBytes(index_t bytes, const char* what) {
    ChunkCache::instance().count(bytes, what);
    bytes_ = bytes;
}

CountedBytes::CountedBytes(CountedBytes&& other) noexcept
    : bytes_(std::exchange(other.bytes_, 0)) {}

CountedBytes& CountedBytes::operator=(CountedBytes&& other) noexcept {
    if (this == &other) return *this;
    if (bytes_ > 0) ChunkCache::existing()->give_back(bytes_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

CountedBytes::~CountedBytes() {
    if (bytes_ > 0) ChunkCache::existing()->give_back(bytes_);
}

index_t memory_left() { return ChunkCache::instance().left(); }

void forget_chunk(ChunkStore& store, index_t number) {
    if (ChunkCache* const cache = ChunkCache::existing()) cache->forget(store, number);
}

void count_stored_bytes(index_t bytes) noexcept {
    if (ChunkCache* const cache = ChunkCache::existing()) cache->add_stored_bytes(bytes);
}

void count_written_chunk() { ChunkCache::instance().add_written_chunk(); }

} // namespace purview
