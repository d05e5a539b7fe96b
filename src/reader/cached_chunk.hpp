#pragma once

#include "reader/chunk_cache.hpp"

#include <array>
#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace purview::inline v0_1 {

/// A chunk in the cache, or on its way. All members are guarded by the mutex of the cache; `memory` and `is_fill` do
/// not change any more once it is ready.
struct CachedChunk {
    enum class State : std::uint8_t { reading, ready, failed };

    ChunkTable* table = nullptr; ///< where it is found; null once it is not any more
    index_t number = 0;
    State state = State::reading;
    bool is_fill = false;
    bool may_wait = false; ///< reading it may itself wait for memory
    index_t bytes = 0;     ///< that are counted
    index_t pins = 0;
    index_t copying_pins = 0; ///< among them
    std::shared_ptr<void> memory;
    std::exception_ptr error;
    std::thread::id reader;
    std::list<std::shared_ptr<CachedChunk>>::iterator
        place; ///< in a list of the cache, while it has a table
};

/// The cached chunks of one store, guarded by the mutex of the cache, and the locks of those who write.
struct ChunkTable {
    using WriteLocks = std::array<std::mutex, 16>;
    std::unique_ptr<WriteLocks> write_locks; ///< made when somebody writes
    int forks = 0;                           ///< how many there were then
    std::unordered_map<index_t, std::shared_ptr<CachedChunk>> chunks;
};

/// What is counted about chunks (`ChunkStatistics`).
struct ChunkCounts {
    index_t chunks_read = 0;
    index_t chunks_written = 0;
    index_t cache_hits = 0;
    index_t bytes_read = 0;
    index_t peak_bytes = 0;
};

/// The chunks that this process has in memory, and the count of all that is to stay within the memory limit. One lock,
/// which nobody holds while chunks are read.
class ChunkCache {
public:
    /// Throws `Error` where the limit that the environment gives is no number; tries again then.
    static ChunkCache& instance();
    /// Null as long as nobody asked for the instance.
    static ChunkCache* existing() noexcept;

    explicit ChunkCache(index_t limit) noexcept : limit_(limit) {}

    std::shared_ptr<CachedChunk> pin(const Chunks& chunks, index_t number, PinFor use);
    void pin_again(CachedChunk& chunk, PinFor use) noexcept;
    void unpin(std::shared_ptr<CachedChunk> chunk, PinFor use) noexcept;

    void count(index_t bytes, const char* what);
    void give_back(index_t bytes) noexcept;

    /// Elements that were written become those that are cached; what they count goes over to the cache.
    void put(ChunkStore& store, index_t number, std::shared_ptr<void> memory,
             CountedBytes&& counted);
    std::mutex& write_lock(ChunkStore& store, index_t number);
    void forget(ChunkStore& store, index_t number) noexcept;
    void forget_all(ChunkTable& table) noexcept;
    void drop() noexcept;

    index_t limit();
    index_t left();
    void set_limit(index_t bytes) noexcept;
    ChunkCounts counts();
    void reset_counts();
    void add_stored_bytes(index_t bytes) noexcept;
    void add_written_chunk() noexcept;

    std::mutex& mutex() noexcept { return mutex_; }
    /// In the child of a fork, under the lock: what was being read or in use is no longer found, as the threads that did so are not
    /// there. What nobody uses stays.
    void begin_child() noexcept;

private:
    using Lock = std::unique_lock<std::mutex>;
    using List = std::list<std::shared_ptr<CachedChunk>>;

    std::shared_ptr<CachedChunk> add(ChunkTable& table, index_t number);
    void read(const Chunks& chunks, CachedChunk& chunk, Lock& lock, List& released);
    void wait_until_read(CachedChunk& chunk, Lock& lock);
    void reserve(index_t bytes, const char* what, Lock& lock, List& released);
    void keep_at_most(index_t bytes, List& released) noexcept;
    void wait(Lock& lock);
    void add_pin(CachedChunk& chunk, PinFor use) noexcept;
    /// The chunk is no longer found; its elements stay for those who have pinned it.
    void detach(CachedChunk& chunk, List& released) noexcept;
    void end_reading(CachedChunk& chunk, CachedChunk::State state) noexcept;
    /// What this thread is reading may wait for memory from now on.
    void mark_own_reads() noexcept;
    void tell_waiting() noexcept;

    std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    int forks_ = 0; ///< that led to this process
    List idle_;     ///< cached and not pinned, least recently used first
    List pinned_;   ///< found in a table and pinned, or being read
    index_t limit_;
    index_t total_ = 0;   ///< bytes of all chunks, found or not, and those that are counted
    index_t counted_ = 0; ///< of these, those of no chunk
    /// Pins that are only for copying, and reads that do not wait for memory: they end whatever others do.
    index_t ending_ = 0;
    ChunkCounts counts_;
};

} // namespace purview
