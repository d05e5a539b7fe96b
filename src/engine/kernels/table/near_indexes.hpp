#pragma once

// Included by the units that are compiled with flags of a target, as kernel_table.hpp is.

#include <cstdint>

namespace purview::inline v0_1 {

using index_t = std::int64_t;

namespace engine {

/// Indexes that are used again and again, with what `copy_near` would otherwise find each time. A
/// vector of them is as many as elements fit into `KernelTable::near_bytes`.
struct NearIndexes {
    const index_t* indexes;
    const index_t* starts; ///< of each whole vector: the first of the elements it is picked from
    const std::uint8_t* lanes; ///< of each index of a whole vector: how far behind that start
};

/// The start of a vector of indexes that do not lie near each other.
inline constexpr index_t kFarApart = INT64_MIN;

} // namespace engine
} // namespace purview::inline v0_1
