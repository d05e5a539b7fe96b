#pragma once

#include <purview/base/index.hpp>

#include <string>

namespace purview::inline v0_1 {

/// What happened to chunks in this process since `reset_chunk_statistics`.
struct ChunkStatistics {
    index_t chunks_read;    ///< read from where they are stored, those that are all fill among them
    index_t chunks_written; ///< those that were erased among them
    index_t cache_hits;     ///< wanted, and found in the cache
    index_t bytes_read;     ///< as they are stored, where that is known; else as elements
    index_t peak_bytes;     ///< the most that `memory_limit` counted
};

/// The most bytes that cached chunks, and all that a walk over chunks holds, may have together. At first the value of
/// the environment variable `PURVIEW_MEMORY_LIMIT` (bytes, or `512K`, `64M`, `2G`), else a quarter of the memory of the
/// machine or of its cgroup, whichever is less. Results in memory and mapped files do not count. Throws `Error`
/// when that variable is not such a number. Thread-safe, as are the functions below.
PURVIEW_EXPORT index_t memory_limit();
/// Sets this limit, and drops cached chunks beyond it, longest unused first. Throws `ShapeError` when `bytes` is
/// negative. Whatever needs more throws `MemoryLimitError`.
PURVIEW_EXPORT void set_memory_limit(index_t bytes);

/// Where what has no room in memory is kept meanwhile, in files without names, which go with what they are for or with
/// the process: the environment variable `TMPDIR`, else `/tmp`. Throws `FormatError` where that is no folder.
PURVIEW_EXPORT std::string temporary_directory();
/// The most bytes that these files may have together: at first the value of the environment variable
/// `PURVIEW_TEMPORARY_LIMIT`, as that of `memory_limit`, else no limit. Whatever needs more throws `MemoryLimitError`
/// before it begins; where the disk has less room, `FormatError`.
PURVIEW_EXPORT index_t temporary_limit();
/// Throws `ShapeError` when `bytes` is negative.
PURVIEW_EXPORT void set_temporary_limit(index_t bytes);

/// Drops all cached chunks, so that they are read again: what other processes have written meanwhile is seen.
PURVIEW_EXPORT void drop_cached_chunks();

PURVIEW_EXPORT ChunkStatistics chunk_statistics();
PURVIEW_EXPORT void reset_chunk_statistics();

} // namespace purview
