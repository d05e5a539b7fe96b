#include "engine/copy/copy_cover.hpp"

#include <purview/base/wrapping.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// An axis that wraps round more often is not cut at each wrap.
constexpr index_t kMostWraps = 16;
/// The longest list that is made for an axis, and the most boxes.
constexpr index_t kLongestCover = index_t{1} << 20;
constexpr std::size_t kMostBoxes = 64;

/// A base and a list may lie far outside of the elements, and only their sum among them: each wraps.
index_t bytes(index_t stride, index_t count) { return wrapping_product<index_t>(stride, count); }

/// The side of a list of `count` entries: plain where these have equal steps.
CopySide as_strided_side(index_t stride, const index_t* list, index_t count) {
    const index_t step = count > 1 ? list[1] - list[0] : 1;
    for (index_t i = 2; i < count; ++i)
        if (list[i] - list[i - 1] != step) return {0, stride, list};
    return {bytes(stride, list[0]), bytes(stride, step), nullptr};
}

} // namespace

/// The most times that the side goes from the end of a period to its beginning.
index_t CopyCover::Side::wraps(index_t extent) const noexcept {
    if (!is_periodic()) return 0;
    // Neither overflows: |step| <= period / 2.
    const index_t step = std::abs(map->step);
    if (step == 0) return 0;
    const index_t per_period = map->period / step;
    return extent / per_period + 1;
}

bool CopyCover::find(const CopyOperand<const std::byte>& from, const CopyOperand<std::byte>& to) {
    CopyBox& box = boxes.emplace_back();
    box.from = from.data + bytes(from.stride_bytes, from.layer.base);
    box.to = to.data + bytes(to.stride_bytes, to.layer.base);
    for (int axis = 0; axis < from.layer.rank(); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const auto side = [&](const auto& operand) {
            return Side{operand.layer.strides[a] * operand.stride_bytes,
                        operand.layer.is_plain(axis) ? nullptr : &operand.layer.maps[a]};
        };
        if (cover(from.layer.extents[a], side(from), side(to))) continue;
        *this = {};
        return false;
    }
    return true;
}

void CopyCover::append(const CopyAxis& axis) {
    for (CopyBox& box : boxes) box.add(axis);
}

/// Adds an axis. False, with nothing added, if it would need too long a list.
bool CopyCover::cover(index_t extent, const Side& from, const Side& to) {
    if (from.map == nullptr && to.map == nullptr)
        append({{extent, {0, from.stride}, {0, to.stride}}});
    else if (from.wraps(extent) + to.wraps(extent) <= kMostWraps)
        cut(extent, from, to);
    else if (from.is_periodic() && from.map->table == nullptr && to.map == nullptr &&
             std::abs(from.map->step) == 1 && boxes.size() < kMostBoxes)
        tile(extent, from, to);
    else if (extent <= kLongestCover)
        append({{extent, listed(from, 0, extent), listed(to, 0, extent)}});
    else
        return false;
    return true;
}

/// Adds the axis in pieces within which no side wraps round.
void CopyCover::cut(index_t extent, const Side& from, const Side& to) {
    CopyAxis axis;
    for (index_t g = 0; g < extent;) {
        const index_t count = std::min({extent - g, from.before_wrap(g), to.before_wrap(g)});
        axis.push_back({count, piece(from, g, count), piece(to, g, count)});
        g += count;
    }
    append(axis);
}

/// Adds whole periods as two axes, one of periods and one within a period; what is left at both
/// ends goes into boxes of its own.
void CopyCover::tile(index_t extent, const Side& from, const Side& to) {
    const index_t period = from.map->period;
    const index_t head = from.before_wrap(0) % period;
    const index_t whole = (extent - head) / period;
    const index_t rest = head + whole * period;
    CopyAxis ends;
    for (const auto& [begin, end] : {std::pair{index_t{0}, head}, std::pair{rest, extent}})
        if (begin < end)
            ends.push_back(
                {end - begin, piece(from, begin, end - begin), piece(to, begin, end - begin)});
    CopyBoxes tiled;
    for (CopyBox& box : boxes) {
        if (!ends.empty()) {
            tiled.push_back(box);
            tiled.back().add(ends);
        }
        box.add({{whole, {0, 0, nullptr}, {to.stride * head, to.stride * period, nullptr}}});
        box.add({{period, piece(from, head, period), {0, to.stride, nullptr}}});
        tiled.push_back(std::move(box));
    }
    boxes = std::move(tiled);
}

/// One side of the elements [g, g + count) of an axis, without a wrap between them.
CopySide CopyCover::piece(const Side& side, index_t g, index_t count) {
    if (side.map == nullptr) return {side.stride * g, side.stride, nullptr};
    const AxisMap& map = *side.map;
    const index_t u = map.before_table(g);
    const index_t step = map.period != 0 ? map.step : 1;
    if (map.table == nullptr) return {side.stride * u, side.stride * step, nullptr};
    if (map.table->data() == nullptr || map.scale * step != 1) return listed(side, g, count);
    return as_strided_side(side.stride, map.table->data() + (map.scale * u + map.offset), count);
}

/// One side of the elements [g, g + count) of an axis with any map, by a list made for it.
CopySide CopyCover::listed(const Side& side, index_t g, index_t count) {
    if (side.map == nullptr) return piece(side, g, count);
    std::vector<index_t>& list = lists_.emplace_back(static_cast<std::size_t>(count));
    const AxisMap& map = *side.map;
    if (map.table != nullptr && map.period == 0 && map.scale == 1)
        map.table->read(map.offset + g, list);
    else
        for (index_t i = 0; i < count; ++i) list[static_cast<std::size_t>(i)] = map(g + i);
    return as_strided_side(side.stride, list.data(), count);
}

} // namespace purview::engine
