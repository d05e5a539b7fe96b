#pragma once

#include <purview/expression/gather.hpp>

#include <algorithm>
#include <cstdint>

namespace purview::engine {

/// The elements of a shape.
index_t element_count(ShapeSpan extents) noexcept;

/// Elements at the end of a gather's source that are read one after the other, 1 at least.
index_t gathered_run(const Gather& gather);

/// Whether neighbours among `size` places lie close to each other, as far as a few of them tell: `at(i)` says where one lies.
template <typename At>
bool are_near(index_t size, At at) {
    constexpr index_t kPlaces = 32;
    constexpr std::uint64_t kNearby = 64;
    index_t spread = 0;
    for (index_t place = 1; place < size; place += size / kPlaces + 1) {
        // Indexes may be anything yet, so that their difference may not fit.
        const auto [less, greater] = std::minmax({at(place - 1), at(place)});
        spread += static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less) > kNearby;
    }
    return spread <= kPlaces / 4;
}

/// The same of what a gather reads. Of indexes that have to be computed: no.
bool reads_near(const Gather& gather);

} // namespace purview::engine
