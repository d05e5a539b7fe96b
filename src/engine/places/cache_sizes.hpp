#pragma once

#include <purview/base/index.hpp>

namespace purview::engine {

/// The second-level cache is taken to hold this many bytes.
inline constexpr index_t kSecondLevelBytes = index_t{1} << 20;

/// What folds read, if it is larger than this, is asked for ahead of time.
inline constexpr index_t kPrefetchedBytes = index_t{4} << 20;

/// Results of at least this many bytes go past the caches.
inline constexpr index_t kStreamedBytes = index_t{16} << 20;

} // namespace purview::engine
