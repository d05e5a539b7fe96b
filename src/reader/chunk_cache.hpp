#pragma once

#include <purview/reader/chunks.hpp>
#include <purview/reader/memory_view.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

struct CachedChunk; // reader/cached_chunk.hpp

/// What a chunk is pinned for. Pins for copying are let go without anything else being asked of the
/// cache before, so that others may wait for it. A chunk that is pinned once is dropped afterwards: it
/// would not stay until it is wanted again, and its memory, which is in the processor's caches, is
/// used for the next one.
enum class PinFor : std::uint8_t { long_use, copying, once, copying_once };
constexpr bool is_for_copying(PinFor use) noexcept {
    return use == PinFor::copying || use == PinFor::copying_once;
}
constexpr bool is_for_once(PinFor use) noexcept {
    return use == PinFor::once || use == PinFor::copying_once;
}

/// Elements of a chunk in memory, which stay there for as long as this or a copy of it exists. Small.
class PURVIEW_EXPORT PinnedChunk {
public:
    PinnedChunk() = default;
    /// Takes over a pin that was counted already.
    PinnedChunk(std::shared_ptr<CachedChunk> chunk, PinFor use) noexcept;
    PinnedChunk(const PinnedChunk& other) noexcept;
    PinnedChunk(PinnedChunk&& other) noexcept;
    PinnedChunk& operator=(PinnedChunk other) noexcept;
    ~PinnedChunk();

    explicit operator bool() const noexcept { return chunk_ != nullptr; }
    /// The elements, row-major; one element if all are the fill. Aligned for SIMD.
    const std::byte* data() const noexcept { return data_; }
    bool is_fill() const noexcept { return is_fill_; }
    /// Keeps the elements in memory for as long as it exists.
    Owner owner() const { return std::make_shared<PinnedChunk>(*this); }

private:
    std::shared_ptr<CachedChunk> chunk_;
    const std::byte* data_ = nullptr;
    bool is_fill_ = false;
    PinFor use_ = PinFor::long_use;
};

/// The chunk of this number, row-major among the `counts` of `chunks`: from the cache, else read now. Threads that want
/// one chunk wait for the one that reads it; what reading throws reaches all of them, and the next call reads again.
/// Throws `MemoryLimitError` where the chunk does not fit beside what is pinned and counted.
PURVIEW_EXPORT PinnedChunk pinned_chunk(const Chunks& chunks, index_t number,
                                        PinFor use = PinFor::long_use);

/// Bytes that count against the memory limit for as long as this exists: cached chunks make room. Throws
/// `MemoryLimitError` naming `what` where they do not fit beside what is pinned and counted.
class PURVIEW_EXPORT CountedBytes {
public:
    CountedBytes() = default;
    CountedBytes(index_t bytes, const char* what);
    CountedBytes(CountedBytes&& other) noexcept;
    CountedBytes& operator=(CountedBytes&& other) noexcept;
    ~CountedBytes();

    index_t bytes() const noexcept { return bytes_; }
    /// They are counted further on, by somebody else.
    index_t release() noexcept { return std::exchange(bytes_, 0); }

private:
    index_t bytes_ = 0;
};

/// What the memory limit has left beside all that is counted so, at least 0: cached chunks make room.
PURVIEW_EXPORT index_t memory_left();

/// The chunk was written: what is cached of it is no longer found, and what is being read of it is not kept.
PURVIEW_EXPORT void forget_chunk(ChunkStore& store, index_t number);

/// Called, if there is one, before a thread pins a chunk, unless it is reading another one: what it throws ends the work.
extern constinit std::atomic<void (*)()> before_chunk;

/// For `read_chunk`, in the thread that it was called in: how many bytes were read of what is stored.
PURVIEW_EXPORT void count_stored_bytes(index_t bytes) noexcept;
/// A chunk was written or erased.
PURVIEW_EXPORT void count_written_chunk();

/// The place of a chunk in the grid of chunks, from its number, and the number from the place.
PURVIEW_EXPORT Shape chunk_place(const Chunks& chunks, index_t number);
PURVIEW_EXPORT index_t chunk_number(const Chunks& chunks, ShapeSpan at) noexcept;

} // namespace purview
