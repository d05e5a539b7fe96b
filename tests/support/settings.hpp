#pragma once

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/threads.hpp>

// Settings of the library that a test has for as long as these exist.

namespace oracle {

/// A memory limit, with nothing in the cache before and afterwards, and statistics of its own.
class MemoryLimit {
public:
    explicit MemoryLimit(purview::index_t bytes) : before_(purview::memory_limit()) {
        purview::drop_cached_chunks();
        purview::set_memory_limit(bytes);
        purview::reset_chunk_statistics();
    }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
    ~MemoryLimit() {
        purview::drop_cached_chunks();
        purview::set_memory_limit(before_);
    }

private:
    purview::index_t before_;
};

/// A limit of temporary files.
class TemporaryLimit {
public:
    explicit TemporaryLimit(purview::index_t bytes) : before_(purview::temporary_limit()) {
        purview::set_temporary_limit(bytes);
    }
    TemporaryLimit(const TemporaryLimit&) = delete;
    TemporaryLimit& operator=(const TemporaryLimit&) = delete;
    ~TemporaryLimit() { purview::set_temporary_limit(before_); }

private:
    purview::index_t before_;
};

/// A number of threads; afterwards as many as oneTBB gives.
class Threads {
public:
    explicit Threads(int count) { purview::set_threads(count); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { purview::set_threads(0); }
};

} // namespace oracle
