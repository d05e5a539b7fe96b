#pragma once

#include <purview/expression/gather.hpp>

#include <algorithm>
#include <cstdint>

namespace purview::inline v0_1::engine {

/// The number of elements of a shape.
index_t element_count(ShapeSpan extents) noexcept;

/// The number of consecutive elements of the source that a gather reads for each tuple of indexes:
/// those of the trailing axes of the source that no index selects from, 1 at least.
index_t gathered_run(const Gather& gather);

/// Whether most neighbours `at(i - 1)` and `at(i)`, i < size, are at most 64 apart. Judged by at
/// most 32 samples, 8 of which may be farther apart.
template <typename At>
bool are_near(index_t size, At at) {
    constexpr index_t kPlaces = 32;
    constexpr std::uint64_t kNearby = 64;
    index_t spread = 0;
    for (index_t place = 1; place < size; place += size / kPlaces + 1) {
        // The indexes are not checked yet, so that their difference may overflow int64.
        const auto [less, greater] = std::minmax({at(place - 1), at(place)});
        spread += static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less) > kNearby;
    }
    return spread <= kPlaces / 4;
}

/// Whether `are_near` holds for each index of a gather. False where an index is not a leaf of int64
/// in memory.
bool reads_near(const Gather& gather);

} // namespace purview::engine
