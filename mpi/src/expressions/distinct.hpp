#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

using Indexes = std::vector<index_t>;

/// Coordinates along one axis, each once, and where among them each position finds its own.
struct Distinct {
    Indexes coordinates;
    Indexes places; ///< empty: position i has coordinate i
};
inline Distinct distinct(Indexes list) {
    const auto is_rising = [](const Indexes& x) {
        return std::ranges::adjacent_find(x, std::greater_equal<>()) == x.end();
    };
    if (is_rising(list)) return {std::move(list), {}};
    Distinct result{list, std::move(list)};
    std::ranges::sort(result.coordinates);
    const auto [end, last] = std::ranges::unique(result.coordinates);
    result.coordinates.erase(end, last);
    for (index_t& place : result.places)
        place = std::ranges::lower_bound(result.coordinates, place) - result.coordinates.begin();
    return result;
}

} // namespace purview
