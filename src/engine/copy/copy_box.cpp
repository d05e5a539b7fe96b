#include "engine/copy/copy_box.hpp"

#include "base/axis_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

bool is_plain(const CopyAxis& axis) { return std::ranges::all_of(axis, &CopySegment::is_plain); }

void flip_side(CopySide& side, index_t extent) {
    side.offset += (extent - 1) * side.stride;
    side.stride = -side.stride;
}

/// Reverses each piece of a plain axis. The order of the pieces, which are copied in any order,
/// stays.
void flip_segments(CopyAxis& axis) {
    for (CopySegment& segment : axis) {
        flip_side(segment.from, segment.extent);
        flip_side(segment.to, segment.extent);
    }
}

/// Whether axis b should lie outside of axis a.
bool belongs_outside(const CopyAxis& b, const CopyAxis& a) {
    const index_t by_destination = compare_steps(b.front().to.stride, a.front().to.stride);
    if (by_destination != 0) return by_destination > 0;
    return compare_steps(b.front().from.stride, a.front().from.stride) > 0;
}

bool can_merge(const CopyAxis& outer, const CopyAxis& inner) {
    if (inner.size() != 1 || !is_plain(inner) || !is_plain(outer)) return false;
    const CopySegment& in = inner.front();
    return std::ranges::all_of(outer, [&](const CopySegment& out) {
        return is_one_axis(out.from.stride, in.from.stride, in.extent) &&
               is_one_axis(out.to.stride, in.to.stride, in.extent);
    });
}

void merge(CopyAxis& outer, const CopySegment& inner) {
    for (CopySegment& segment : outer) {
        segment.extent *= inner.extent;
        segment.from.stride = inner.from.stride;
        segment.to.stride = inner.to.stride;
        segment.from.offset += inner.from.offset;
        segment.to.offset += inner.to.offset;
    }
}

void merge_axes(CopyBox& box) {
    if (box.axes.empty()) return;
    std::size_t last = box.axes.size() - 1;
    // From the inside: what was merged can merge with the next.
    for (std::size_t axis = last; axis-- > 0;) {
        if (!can_merge(box.axes[axis], box.axes[axis + 1])) continue;
        merge(box.axes[axis], box.axes[axis + 1].front());
        box.axes.erase(box.axes.begin() + static_cast<std::ptrdiff_t>(axis + 1));
    }
}

} // namespace

index_t extent_of(const CopyAxis& axis) noexcept {
    index_t extent = 0;
    for (const CopySegment& segment : axis) extent += segment.extent;
    return extent;
}

index_t CopyBox::size() const noexcept {
    index_t size = 1;
    for (const CopyAxis& axis : axes) size *= extent_of(axis);
    return size;
}

void CopyBox::add(CopyAxis axis) {
    const CopySegment& first = axis.front();
    if (axis.size() == 1 && first.extent == 1) {
        from += first.from.at(0);
        to += first.to.at(0);
        return;
    }
    if (first.to.stride < 0 && is_plain(axis)) flip_segments(axis);
    auto place = axes.end();
    while (place != axes.begin() && belongs_outside(axis, *std::prev(place))) --place;
    axes.insert(place, std::move(axis));
}

void CopyBox::finish(index_t element_bytes) {
    merge_axes(*this);
    if (axes.size() < 2) return;
    const bool strided = !axes.back().front().from.is_unit(element_bytes);
    std::size_t partner = axes.size() - 2;
    index_t longest = 0;
    for (std::size_t axis = 0; axis + 1 < axes.size(); ++axis) {
        // Transposes want the source's unit stride to be a positive one.
        if (axes[axis].front().from.stride == -element_bytes && is_plain(axes[axis]))
            flip_segments(axes[axis]);
        const index_t extent = extent_of(axes[axis]);
        if (!strided || !axes[axis].front().from.is_unit(element_bytes) || extent <= longest)
            continue;
        partner = axis;
        longest = extent;
    }
    for (; partner + 2 < axes.size(); ++partner) std::swap(axes[partner], axes[partner + 1]);
    transposed = longest > 0 &&
                 std::ranges::all_of(axes[partner],
                                     [&](const CopySegment& rows) {
                                         return rows.is_plain() && rows.from.is_unit(element_bytes);
                                     }) &&
                 std::ranges::all_of(axes.back(), [&](const CopySegment& columns) {
                     return columns.is_plain() && columns.to.is_unit(element_bytes) &&
                            columns.from.stride != element_bytes && columns.from.stride != 0;
                 });
}

namespace copy_box {

Cut::Cut(const CopyBox& box) noexcept {
    constexpr index_t kEnough = 512;
    while (axes < box.axes.size() && count < kEnough) count *= extent_of(box.axes[axes++]);
    for (std::size_t axis = axes; axis < box.axes.size(); ++axis)
        weight *= extent_of(box.axes[axis]);
    // At most one axis is left inside: cuts at whole cache lines, and whole blocks of a transpose.
    if (axes + 2 > box.axes.size()) grain = 64;
}

index_t Cut::position(index_t element) const noexcept {
    const index_t step = weight * grain;
    return std::min(count, (element / step + (element % step != 0)) * grain);
}

void restrict_axis(CopyBox& box, std::size_t axis, index_t begin, index_t end) {
    CopyAxis kept;
    index_t first = 0;
    for (const CopySegment& segment : box.axes[axis]) {
        const index_t from = std::max(begin - first, index_t{0});
        const index_t to = std::min(end - first, segment.extent);
        if (from < to) kept.push_back(segment.part(from, to));
        first += segment.extent;
    }
    box.axes[axis] = std::move(kept);
}

} // namespace copy_box

} // namespace purview::engine
