#pragma once

#include "reader/chunk_cache.hpp"

#include <cstddef>
#include <memory>
#include <mutex>

namespace purview::inline v0_1 {

/// Memory for a chunk that is about to be written, which counts against the memory limit.
class WrittenChunk {
public:
    /// A chunk of `whole.written_chunks()`. Elements of trivial types are not set. Throws
    /// `MemoryLimitError`.
    WrittenChunk(Chunks& whole, index_t number);

    /// The chunk's elements, row-major.
    std::byte* data() noexcept { return static_cast<std::byte*>(memory_.get()); }
    /// All elements become the fill; or those that are stored, under the lock.
    void start_from_fill();
    void start_from_stored();
    /// Stores the elements, or erases the chunk where all are the fill. Under the lock. What was stored is
    /// cached, in place of what was before.
    void store();
    /// For whoever reads the stored chunk and stores another.
    std::mutex& lock() const noexcept { return lock_; }

private:
    /// Drops what is cached of it, and of the smaller chunks that `whole` reads.
    void forget(ShapeSpan at) const;

    Chunks& whole_;
    Chunks& chunks_;
    index_t number_;
    std::mutex& lock_;
    CountedBytes counted_;
    std::shared_ptr<void> memory_;
};

/// How many elements have to be assigned so that nothing of a stored chunk stays: those within the shape, or
/// more than there are.
index_t elements_to_replace(const Chunks& chunks, index_t number);

} // namespace purview
