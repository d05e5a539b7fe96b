#pragma once

#include <purview/base/index.hpp>

namespace purview::inline v0_1::engine {

inline constexpr index_t kCacheLineBytes = 64;

/// The capacity of the second-level cache that the engine reckons with.
inline constexpr index_t kSecondLevelBytes = index_t{1} << 20;

/// Arrays of at least this many bytes are prefetched by the program that reads them.
inline constexpr index_t kPrefetchedBytes = index_t{4} << 20;

/// Results of at least this many bytes are written past the caches (by non-temporal stores).
inline constexpr index_t kStreamedBytes = index_t{16} << 20;

/// What lies spread over more bytes than this is read from memory, not from a cache.
inline constexpr index_t kAllCachesBytes = index_t{32} << 20;

} // namespace purview::engine
