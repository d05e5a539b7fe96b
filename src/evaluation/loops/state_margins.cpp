#include "evaluation/loops/state_margins.hpp"

namespace purview::inline v0_1 {
namespace {

/// Elements of 64 bytes or more: where rows begin, vectors do.
constexpr index_t kAligned = 16;
/// Rows that lie so many elements apart, or a multiple, displace one another from the first-level cache.
constexpr index_t kAlias = 512;

constexpr index_t aligned(index_t n) { return (n + kAligned - 1) / kAligned * kAligned; }

} // namespace

index_t StateMargins::address(ShapeSpan coordinates) const {
    index_t at = 0;
    for (std::size_t a = 0; a < extents.size(); ++a)
        at = at * extents[a] + before[a] + coordinates[a];
    return at;
}

StateMargins margins_of(ShapeSpan shape, const Shape& reach, MarginAxes axes) {
    StateMargins margins(shape);
    margins.axes = axes;
    margins.reach = reach;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        const bool is_aligned = axes == MarginAxes::last && reach[a] > 0;
        margins.before[a] = is_aligned ? aligned(reach[a]) : reach[a];
        margins.extents[a] += margins.before[a] + reach[a];
        if (!is_aligned) continue;
        margins.extents[a] = aligned(margins.extents[a]);
        if (margins.extents[a] % kAlias < kAligned) margins.extents[a] += kAligned;
    }
    return margins;
}

} // namespace purview
