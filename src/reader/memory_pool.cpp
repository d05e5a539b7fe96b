#include "base/address_sanitizer.hpp"
#include "base/bytes_from_text.hpp"
#include "base/fork_lock.hpp"
#include "reader/large_block.hpp"

#include <purview/base/errors.hpp>
#include <purview/reader/memory_pool.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <unistd.h>

namespace purview::inline v0_1 {
namespace {

/// The default limit: an eighth of the machine's memory, at most 1 GiB.
std::size_t usual_limit() noexcept {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return kMost;
    return std::min(kMost,
                    static_cast<std::size_t>(pages) / 8 * static_cast<std::size_t>(page_bytes));
}

std::size_t initial_limit() {
    const char* const wanted = std::getenv("PURVIEW_RECYCLED_MEMORY");
    if (wanted != nullptr && *wanted != '\0')
        return static_cast<std::size_t>(bytes_from_text("PURVIEW_RECYCLED_MEMORY", wanted));
    // With recycling, the sanitizer would not detect dangling pointers into memory that is in use
    // again.
    return kAddressSanitizer ? 0 : usual_limit();
}

/// Blocks of one kind that are kept for reuse, in the order in which they were given.
class KeptBlocks {
public:
    bool empty() const noexcept { return count_ == 0; }
    bool is_full() const noexcept { return count_ == blocks_.size(); }
    std::size_t held() const noexcept { return held_; }

    /// Precondition: it is not full.
    void add(LargeBlock block) noexcept {
        blocks_[count_++] = block;
        held_ += block.bytes;
    }
    LargeBlock remove_oldest() noexcept { return remove(0); }
    /// The smallest block of at least `bytes`, and at most `surplus` more; of equal ones the latest.
    LargeBlock remove_fitting(std::size_t bytes, std::size_t surplus) noexcept {
        std::size_t best = count_;
        for (std::size_t i = count_; i-- > 0;)
            if (blocks_[i].bytes >= bytes && blocks_[i].bytes - bytes <= surplus &&
                (best == count_ || blocks_[i].bytes < blocks_[best].bytes))
                best = i;
        return best == count_ ? LargeBlock{} : remove(best);
    }

private:
    LargeBlock remove(std::size_t i) noexcept {
        const LargeBlock block = blocks_[i];
        std::move(blocks_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
                  blocks_.begin() + static_cast<std::ptrdiff_t>(i));
        --count_;
        held_ -= block.bytes;
        return block;
    }

    /// So few that searching them costs little compared with filling a block.
    std::array<LargeBlock, 256> blocks_;
    std::size_t count_ = 0;
    std::size_t held_ = 0;
};

/// The blocks that are kept: large ones, and those of the heap, of which neither push out the other while there is room
/// for both.
class Pool {
public:
    explicit Pool(std::size_t limit) noexcept : limit_(limit) {}

    /// A block that has at most a quarter more than a new block would have, so that a block always
    /// fits the request it was made for.
    LargeBlock reuse(std::size_t bytes) noexcept {
        bytes = in_whole_pages(bytes);
        const std::scoped_lock lock(mutex_);
        return large_.remove_fitting(bytes, bytes / 4);
    }
    LargeBlock reuse_heap_block(std::size_t bytes) noexcept {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        return lock ? heap_.remove_fitting(bytes, 0) : LargeBlock{};
    }

    void release(LargeBlock block) noexcept {
        // Before the block is put into the pool, as nobody can use it yet.
        if (block.bytes <= limit()) {
            poison(block.data, block.bytes);
            offer_pages(block);
        }
        // Releasing memory to the system is slow, so it is done without the lock, block by block.
        while (const LargeBlock victim = exchange(block)) {
            delete_block(victim);
            if (victim.data == block.data) return;
        }
    }

    void keep_at_most(std::size_t bytes) noexcept {
        while (const LargeBlock oldest = surplus(bytes)) delete_block(oldest);
    }

    void set_limit(std::size_t bytes) noexcept {
        limit_.store(bytes, std::memory_order_relaxed);
        keep_at_most(bytes);
    }

    std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
    std::mutex& mutex() const noexcept { return mutex_; }
    std::size_t held() const noexcept {
        const std::scoped_lock lock(mutex_);
        return held_by_all();
    }

private:
    /// In bytes: the system cannot take the pages of blocks of the heap.
    static constexpr std::size_t kMostOfHeap = std::size_t{64} << 20;

    /// Adds the block if there is room, and returns nothing; else returns a block to delete first:
    /// the oldest one of its kind or, if that is not enough, of the other, or the new one if it
    /// exceeds the limit by itself. A small block waits for no other thread.
    LargeBlock exchange(LargeBlock block) noexcept {
        std::unique_lock lock(mutex_, std::defer_lock);
        if (!block.of_heap)
            lock.lock();
        else if (!lock.try_lock())
            return block;
        const std::size_t limit = this->limit();
        const std::size_t most = block.of_heap ? std::min(kMostOfHeap, limit) : limit;
        KeptBlocks& kind = block.of_heap ? heap_ : large_;
        if (block.bytes > most) return block;
        if (kind.is_full() || kind.held() > most - block.bytes) return kind.remove_oldest();
        if (held_by_all() > limit - block.bytes)
            return (block.of_heap ? large_ : heap_).remove_oldest();
        kind.add(block);
        return {};
    }

    LargeBlock surplus(std::size_t bytes) noexcept {
        const std::scoped_lock lock(mutex_);
        if (held_by_all() <= bytes) return {};
        return (large_.empty() ? heap_ : large_).remove_oldest();
    }

    std::size_t held_by_all() const noexcept { return large_.held() + heap_.held(); }

    mutable std::mutex mutex_;
    KeptBlocks large_;
    KeptBlocks heap_;
    std::atomic<std::size_t> limit_;
};

/// Never destroyed: buffers that live in static variables may be freed after everything else.
Pool& pool();
std::mutex& pool_mutex() { return pool().mutex(); }

Pool& pool() {
    static Pool& instance = [&]() -> Pool& {
        auto made = std::make_unique<Pool>(initial_limit());
        lock_while_forking<pool_mutex>();
        return *made.release();
    }();
    return instance;
}

} // namespace

LargeBlock allocate_block(std::size_t bytes, bool zeroed) {
    if (const LargeBlock block = pool().reuse(bytes)) {
        unpoison(block.data, bytes);
        if (zeroed) std::memset(block.data, 0, bytes);
        return block;
    }
    LargeBlock block = new_block(bytes);
    if (!block) {
        pool().keep_at_most(0);
        block = new_block(bytes);
        if (!block) throw std::bad_alloc();
    }
    if (zeroed && !kNewBlocksAreZeroed) std::memset(block.data, 0, bytes);
    poison(block.data + bytes, block.bytes - bytes);
    return block;
}

LargeBlock reuse_heap_block(std::size_t bytes) noexcept { return pool().reuse_heap_block(bytes); }

void release_block(LargeBlock block) noexcept { pool().release(block); }

index_t recycled_memory_limit() { return static_cast<index_t>(pool().limit()); }

void set_recycled_memory_limit(index_t bytes) {
    if (bytes < 0)
        throw ShapeError(
            fmt::format("set_recycled_memory_limit: {} bytes are fewer than none", bytes));
    pool().set_limit(static_cast<std::size_t>(bytes));
}

index_t recycled_memory() { return static_cast<index_t>(pool().held()); }

void trim_recycled_memory() { pool().keep_at_most(0); }

} // namespace purview
