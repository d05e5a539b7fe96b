#include <purview/dimensions/axis_map.hpp>

#include "layer.hpp"

#include <limits>
#include <numeric>

namespace purview::inline v0_1 {

index_t AxisMap::before_table(index_t g) const noexcept {
    return period == 0 ? g : dimensions::floor_mod(step * g + phase, period);
}

index_t AxisMap::operator()(index_t g) const noexcept {
    const index_t u = before_table(g);
    return table == nullptr ? u : table->at(scale * u + offset);
}

index_t AxisMap::cycle() const noexcept {
    return period == 0 ? 0 : period / std::gcd(step, period);
}

bool operator==(const AxisMap& a, const AxisMap& b) noexcept {
    if (a.period != b.period || a.step != b.step || a.phase != b.phase || a.scale != b.scale ||
        a.offset != b.offset || (a.table == nullptr) != (b.table == nullptr))
        return false;
    return a.table == nullptr || same_indexes(*a.table, *b.table);
}

index_t dimensions::before_wrap(const AxisMap& map, index_t g) noexcept {
    if (map.period == 0 || map.step == 0) return std::numeric_limits<index_t>::max();
    const index_t u = map.before_table(g);
    return map.step > 0 ? (map.period - 1 - u) / map.step + 1 : u / -map.step + 1;
}

index_t LayerView::size() const noexcept {
    index_t size = 1;
    for (const index_t extent : extents) size *= extent;
    return size;
}

index_t LayerView::local_of(ShapeSpan coordinates) const noexcept {
    index_t address = base;
    for (std::size_t a = 0; a < extents.size(); ++a)
        address += strides[a] * coordinate(static_cast<int>(a), coordinates[a]);
    return address;
}

index_t LayerView::local_of_index(index_t index) const noexcept {
    index_t address = base;
    for (std::size_t a = extents.size(); a-- > 0;) {
        const index_t above = index / extents[a];
        address += strides[a] * coordinate(static_cast<int>(a), index - above * extents[a]);
        index = above;
    }
    return address;
}

} // namespace purview
