#include "reader/chunk_cache.hpp"

#include "base/fork_lock.hpp"
#include "reader/cached_chunk.hpp"
#include "reader/element_memory.hpp"
#include "reader/usual_memory_limit.hpp"

#include <purview/base/errors.hpp>
#include <purview/reader/allocation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::atomic<ChunkCache*> made_cache = nullptr;

std::mutex& cache_mutex() { return ChunkCache::existing()->mutex(); }
void begin_cache_of_child() noexcept { ChunkCache::existing()->begin_child(); }

/// A chunk that this thread reads, within the reading of another one, perhaps.
struct ChunkRead {
    explicit ChunkRead(CachedChunk& read_chunk) noexcept : chunk(read_chunk), outer(innermost) {
        innermost = this;
    }
    ChunkRead(const ChunkRead&) = delete;
    ChunkRead& operator=(const ChunkRead&) = delete;
    ~ChunkRead() { innermost = outer; }

    CachedChunk& chunk;
    ChunkRead* outer;
    index_t stored_bytes = -1; ///< negative: nobody told
    static thread_local constinit ChunkRead* innermost;
};
thread_local constinit ChunkRead* ChunkRead::innermost = nullptr;

} // namespace

constinit std::atomic<void (*)()> before_chunk = nullptr;

ChunkCache& ChunkCache::instance() {
    // Never destroyed: stores may be static objects, destroyed after it.
    static ChunkCache& cache = [&]() -> ChunkCache& {
        auto* const made = new ChunkCache(initial_memory_limit());
        made_cache.store(made, std::memory_order_release);
        lock_while_forking<cache_mutex, begin_cache_of_child>();
        return *made;
    }();
    return cache;
}

ChunkCache* ChunkCache::existing() noexcept { return made_cache.load(std::memory_order_acquire); }

void ChunkCache::begin_child() noexcept {
    // Neither is the old one destroyed, nor is it used: threads that do not exist here wait for it.
    new (&changed_) std::condition_variable;
    waiting_ = 0;
    for (const std::shared_ptr<CachedChunk>& chunk : pinned_) {
        chunk->table->chunks.erase(chunk->number);
        chunk->table = nullptr;
        chunk->bytes = 0;
        chunk->copying_pins = 0;
        chunk->may_wait = true;
    }
    pinned_.clear();
    total_ = 0;
    counted_ = 0;
    for (const std::shared_ptr<CachedChunk>& chunk : idle_) total_ += chunk->bytes;
    ending_ = 0;
    ++forks_;
}

void ChunkCache::tell_waiting() noexcept {
    if (waiting_ > 0) changed_.notify_all();
}

void ChunkCache::wait(Lock& lock) {
    ++waiting_;
    changed_.wait(lock);
    --waiting_;
}

void ChunkCache::mark_own_reads() noexcept {
    for (const ChunkRead* read = ChunkRead::innermost; read != nullptr; read = read->outer) {
        if (std::exchange(read->chunk.may_wait, true)) continue;
        --ending_;
        tell_waiting();
    }
}

void ChunkCache::add_pin(CachedChunk& chunk, PinFor use) noexcept {
    if (chunk.pins++ == 0 && chunk.table != nullptr)
        pinned_.splice(pinned_.end(), idle_, chunk.place);
    if (is_for_copying(use)) {
        ++chunk.copying_pins;
        if (chunk.state == CachedChunk::State::ready) ++ending_;
    }
}

void ChunkCache::detach(CachedChunk& chunk, List& released) noexcept {
    if (chunk.table == nullptr) return;
    released.splice(released.end(), chunk.pins > 0 ? pinned_ : idle_, chunk.place);
    chunk.table->chunks.erase(chunk.number);
    chunk.table = nullptr;
    if (chunk.pins == 0) total_ -= std::exchange(chunk.bytes, 0);
}

void ChunkCache::keep_at_most(index_t bytes, List& released) noexcept {
    while (total_ > bytes && !idle_.empty()) detach(*idle_.front(), released);
}

void ChunkCache::reserve(index_t bytes, const char* what, Lock& lock, List& released) {
    for (;;) {
        if (bytes > limit_)
            throw MemoryLimitError(fmt::format(
                "{}: {} bytes are more than the memory limit, {} bytes", what, bytes, limit_));
        keep_at_most(limit_ - bytes, released);
        if (total_ <= limit_ - bytes) break;
        mark_own_reads();
        if (ending_ == 0)
            throw MemoryLimitError(
                fmt::format("{}: {} bytes beside {} that are in use are more than "
                            "the memory limit, {} bytes",
                            what, bytes, total_, limit_));
        wait(lock);
    }
    total_ += bytes;
    counts_.peak_bytes = std::max(counts_.peak_bytes, total_);
}

std::shared_ptr<CachedChunk> ChunkCache::add(ChunkTable& table, index_t number) {
    auto chunk = std::make_shared<CachedChunk>();
    chunk->number = number;
    chunk->reader = std::this_thread::get_id();
    pinned_.push_back(chunk);
    try {
        table.chunks.emplace(number, chunk);
    } catch (...) {
        pinned_.pop_back();
        throw;
    }
    chunk->place = std::prev(pinned_.end());
    chunk->table = &table;
    return chunk;
}

void ChunkCache::end_reading(CachedChunk& chunk, CachedChunk::State state) noexcept {
    if (!chunk.may_wait) --ending_;
    chunk.state = state;
    if (state == CachedChunk::State::ready) ending_ += chunk.copying_pins;
    tell_waiting();
}

void ChunkCache::read(const Chunks& chunks, CachedChunk& chunk, Lock& lock, List& released) {
    const DType dtype = chunks.element_type();
    const index_t count = chunks.elements_per_chunk();
    const index_t bytes = checked_bytes(count, dtype.size_bytes(), "read_chunk");
    reserve(bytes, "read_chunk", lock, released);
    chunk.bytes = bytes;
    ++ending_; // reading; those who wait for memory are not counted
    chunk.may_wait = false;
    lock.unlock();
    released.clear();

    ChunkRead reading(chunk);
    std::shared_ptr<void> memory = allocate_elements(dtype, count);
    const bool is_fill = !chunks.read_chunk_into(chunk_place(chunks, chunk.number), memory.get());
    if (is_fill) {
        memory = allocate_elements(dtype, 1);
        chunks.fill_into(memory.get());
    }

    lock.lock();
    if (is_fill) {
        const index_t kept = std::min(chunk.bytes, dtype.size_bytes());
        total_ -= std::exchange(chunk.bytes, kept) - kept;
    }
    chunk.memory = std::move(memory);
    chunk.is_fill = is_fill;
    ++counts_.chunks_read;
    counts_.bytes_read += reading.stored_bytes >= 0 ? reading.stored_bytes
                          : is_fill                 ? index_t{0}
                                                    : bytes;
    end_reading(chunk, CachedChunk::State::ready);
}

void ChunkCache::wait_until_read(CachedChunk& chunk, Lock& lock) {
    while (chunk.state == CachedChunk::State::reading) wait(lock);
    if (chunk.state == CachedChunk::State::failed) std::rethrow_exception(chunk.error);
}

std::shared_ptr<CachedChunk> ChunkCache::pin(const Chunks& chunks, index_t number, PinFor use) {
    if (ChunkRead::innermost == nullptr)
        if (void (*const call)() = before_chunk.load(std::memory_order_relaxed)) call();
    List released; // before the lock: what it holds is freed after that was let go
    Lock lock(mutex_);
    if (ChunkRead::innermost != nullptr) mark_own_reads();
    ChunkTable& table = *chunks.store()->table_;
    if (const auto found = table.chunks.find(number); found != table.chunks.end()) {
        std::shared_ptr<CachedChunk> chunk = found->second;
        if (chunk->state == CachedChunk::State::reading &&
            chunk->reader == std::this_thread::get_id())
            throw Error("read_chunk: a chunk reads itself");
        add_pin(*chunk, use);
        ++counts_.cache_hits;
        wait_until_read(*chunk, lock);
        return chunk;
    }
    std::shared_ptr<CachedChunk> chunk = add(table, number);
    // Not counted among those that end until it has its memory.
    chunk->may_wait = true;
    chunk->pins = 1;
    chunk->copying_pins = is_for_copying(use) ? 1 : 0;
    try {
        read(chunks, *chunk, lock, released);
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        chunk->error = std::current_exception();
        detach(*chunk, released);
        total_ -= std::exchange(chunk->bytes, 0);
        end_reading(*chunk, CachedChunk::State::failed);
        throw;
    }
    return chunk;
}

void ChunkCache::pin_again(CachedChunk& chunk, PinFor use) noexcept {
    const Lock lock(mutex_);
    add_pin(chunk, use);
}

void ChunkCache::unpin(std::shared_ptr<CachedChunk> chunk, PinFor use) noexcept {
    List released;
    const Lock lock(mutex_);
    if (is_for_copying(use) && chunk->copying_pins > 0) { // none is left after a fork
        --chunk->copying_pins;
        --ending_;
    }
    if (--chunk->pins == 0) {
        if (chunk->table != nullptr)
            idle_.splice(idle_.end(), pinned_, chunk->place);
        else
            total_ -= std::exchange(chunk->bytes, 0);
        if (is_for_once(use)) detach(*chunk, released);
        keep_at_most(limit_, released);
    }
    tell_waiting();
}

void ChunkCache::count(index_t bytes, const char* what) {
    List released;
    Lock lock(mutex_);
    reserve(bytes, what, lock, released);
    counted_ += bytes;
}

void ChunkCache::give_back(index_t bytes) noexcept {
    const Lock lock(mutex_);
    counted_ = std::max(counted_ - bytes, index_t{0}); // after a fork, not counted any more
    total_ = std::max(total_ - bytes, index_t{0});
    tell_waiting();
}

void ChunkCache::put(ChunkStore& store, index_t number, std::shared_ptr<void> memory,
                     CountedBytes&& counted) {
    List released;
    const Lock lock(mutex_);
    if (const auto old = store.table_->chunks.find(number); old != store.table_->chunks.end())
        detach(*old->second, released);
    const std::shared_ptr<CachedChunk> chunk = add(*store.table_, number);
    chunk->memory = std::move(memory);
    chunk->bytes = counted.release();
    counted_ -= chunk->bytes;
    chunk->state = CachedChunk::State::ready;
    idle_.splice(idle_.end(), pinned_, chunk->place);
    keep_at_most(limit_, released);
    tell_waiting();
}

std::mutex& ChunkCache::write_lock(ChunkStore& store, index_t number) {
    ChunkTable& table = *store.table_;
    const Lock lock(mutex_);
    if (table.write_locks == nullptr || table.forks != forks_) {
        // The old ones may be locked: by nobody, or by this thread, which unlocks them.
        static_cast<void>(table.write_locks.release());
        table.write_locks = std::make_unique<ChunkTable::WriteLocks>();
        table.forks = forks_;
    }
    auto& locks = *table.write_locks;
    return locks[static_cast<std::size_t>(number) % locks.size()];
}

void ChunkCache::forget(ChunkStore& store, index_t number) noexcept {
    List released;
    const Lock lock(mutex_);
    const auto found = store.table_->chunks.find(number);
    if (found == store.table_->chunks.end()) return;
    detach(*found->second, released);
    tell_waiting();
}

void ChunkCache::forget_all(ChunkTable& table) noexcept {
    List released;
    const Lock lock(mutex_);
    while (!table.chunks.empty()) detach(*table.chunks.begin()->second, released);
    tell_waiting();
}

void ChunkCache::drop() noexcept {
    List released;
    const Lock lock(mutex_);
    while (!idle_.empty()) detach(*idle_.front(), released);
    while (!pinned_.empty()) detach(*pinned_.front(), released);
    tell_waiting();
}

index_t ChunkCache::limit() {
    const Lock lock(mutex_);
    return limit_;
}

index_t ChunkCache::left() {
    const Lock lock(mutex_);
    return std::max(limit_ - counted_, index_t{0});
}

void ChunkCache::set_limit(index_t bytes) noexcept {
    List released;
    const Lock lock(mutex_);
    limit_ = bytes;
    keep_at_most(bytes, released);
    tell_waiting();
}

ChunkCounts ChunkCache::counts() {
    const Lock lock(mutex_);
    return counts_;
}

void ChunkCache::reset_counts() {
    const Lock lock(mutex_);
    counts_ = {};
    counts_.peak_bytes = total_;
}

void ChunkCache::add_stored_bytes(index_t bytes) noexcept {
    if (ChunkRead* const read = ChunkRead::innermost) {
        read->stored_bytes = std::max(read->stored_bytes, index_t{0}) + bytes;
        return;
    }
    const Lock lock(mutex_);
    counts_.bytes_read += bytes;
}

void ChunkCache::add_written_chunk() noexcept {
    const Lock lock(mutex_);
    ++counts_.chunks_written;
}

} // namespace purview
