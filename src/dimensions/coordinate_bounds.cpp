// Defines dimensions/layer.hpp.

#include "layer.hpp"

#include <algorithm>

namespace purview::inline v0_1::dimensions {
namespace {

// Periodic axes whose step is not ±1 and which do not cover a whole cycle: up to this extent, their
// coordinates are enumerated.
constexpr index_t kMostCoordinates = index_t{1} << 16;

CoordinateBounds before_table_bounds(const AxisMap& map, index_t extent) noexcept {
    if (map.period == 0) return {0, extent - 1};
    const index_t cycle = map.cycle();
    if (extent >= cycle) {
        // u takes every value that is phase modulo gcd(step, period).
        const index_t apart = map.period / cycle;
        const index_t lowest = map.phase % apart;
        return {lowest, lowest + map.period - apart};
    }
    index_t end = 0;
    if (!__builtin_mul_overflow(map.step, extent - 1, &end) &&
        !__builtin_add_overflow(map.phase, end, &end) && end >= 0 && end < map.period)
        return {std::min(map.phase, end), std::max(map.phase, end)};
    if (map.step == 1 || map.step == -1 || extent > kMostCoordinates) return {0, map.period - 1};
    CoordinateBounds bounds{map.phase, map.phase};
    for (index_t g = 1; g < extent; ++g) {
        const index_t u = map.before_table(g);
        bounds.lowest = std::min(bounds.lowest, u);
        bounds.highest = std::max(bounds.highest, u);
    }
    return bounds;
}

} // namespace

CoordinateBounds coordinate_bounds(const LayerView& layer, int axis) noexcept {
    const index_t extent = layer.extents[static_cast<std::size_t>(axis)];
    if (layer.is_plain(axis)) return {0, extent - 1};
    const AxisMap& map = layer.maps[static_cast<std::size_t>(axis)];
    if (map.table == nullptr) return before_table_bounds(map, extent);

    const index_t used = map.period == 0 ? extent : std::min(extent, map.cycle());
    if (used == map.table->size()) return {map.table->min(), map.table->max()};
    CoordinateBounds bounds{map(0), map(0)};
    for (index_t g = 1; g < used; ++g) {
        const index_t m = map(g);
        bounds.lowest = std::min(bounds.lowest, m);
        bounds.highest = std::max(bounds.highest, m);
    }
    return bounds;
}

} // namespace purview::dimensions
