#include "functional/along/window_segments.hpp"

#include <purview/functional/along/rolling_window.hpp>

#include "base/explained_call.hpp"
#include "evaluation/lane_slabs.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Windows that follow each other, and the elements that they reach.
struct WindowSegment {
    index_t first = 0;
    index_t last = 0; ///< behind the last one
    index_t begin = 0;
    index_t end = 0;

    bool has_elements() const { return begin < end; }
    /// What the windows from here on take with others behind them.
    WindowSegment with(const WindowSegment& next) const {
        if (!next.has_elements()) return {first, next.last, begin, end};
        return {first, next.last, has_elements() ? begin : next.begin, next.end};
    }
    /// Elements, and as many for each window, whose ends are copied.
    index_t size() const { return std::max(end - begin, 2 * (last - first)); }
};

/// Segments of at most `room` elements, if they may be so short; nothing where one would have more than `most`.
std::optional<std::vector<WindowSegment>>
window_segments(const WindowRanges& windows, index_t length, index_t room, index_t most) {
    std::vector<WindowSegment> segments;
    WindowSegment whole; // the segment so far
    WindowSegment some;  // windows behind it that share states
    const auto add = [&] {
        const WindowSegment longer = whole.with(some);
        if (longer.size() > room && whole.first < whole.last) {
            segments.push_back(whole);
            whole = some;
        } else {
            whole = longer;
        }
        return whole.size() <= most;
    };
    index_t turn = 0; // where the first of the windows that share states ends
    index_t begin = 0;
    index_t end = 0;
    for (index_t i = 0; i < std::ssize(windows.begin); ++i) {
        const index_t from = windows.begin[static_cast<std::size_t>(i)];
        const index_t to = windows.end[static_cast<std::size_t>(i)];
        if (from < 0 || to < from || to > length) return std::nullopt;
        if (from < to) {
            if (from < begin || to < end) return std::nullopt;
            begin = from;
            end = to;
            if (from >= turn) {
                if (!add()) return std::nullopt;
                some = {i, i, from, to};
                turn = to;
            }
            some.end = to;
        }
        some.last = i + 1;
    }
    if (!add()) return std::nullopt;
    segments.push_back(whole);
    return segments;
}

/// The windows of a segment, as places in it.
WindowRanges windows_of(const WindowSegment& segment, const WindowRanges& windows) {
    WindowRanges own;
    for (index_t i = segment.first; i < segment.last; ++i) {
        const index_t from = windows.begin[static_cast<std::size_t>(i)];
        const index_t to = windows.end[static_cast<std::size_t>(i)];
        own.begin.push_back(from < to ? from - segment.begin : 0);
        own.end.push_back(from < to ? to - segment.begin : 0);
    }
    return own;
}

} // namespace

bool worked_between_windows(const char* what, const Operand& x, index_t axis,
                            const WindowRanges& windows, AxisWork work, SlabResults& results) {
    const auto at = static_cast<std::size_t>(axis);
    const ShapeSpan shape = x.dims.max_shape();
    const index_t length = shape[at];
    const index_t count = std::ssize(windows.begin);
    if (x.dims.size() == 0 || windows.end.size() != windows.begin.size()) return false;
    const index_t left = memory_left();
    const index_t bytes = x.dtype().size_bytes();
    const index_t most = left / 2 / std::max<index_t>(bytes, 8);
    const index_t room = std::min(left / 8, kMostSegmentBytes) / std::max<index_t>(bytes, 8);
    const index_t lanes = x.dims.size() / length;
    const auto work_on = [&](const Operand& some, ShapeSpan begin,
                             const std::vector<WindowSegment>& segments) {
        AxisParts parts = axis_parts(what, some, axis);
        const Operand inner = parts.operand;
        parts.begin = to_shape(begin);
        parts.shape_of_all = to_shape(shape);
        Shape all = to_shape(shape);
        all[at] = count;
        Shape whole;
        for (index_t a = 0; a < inner.dims.rank(); ++a) whole.push_back(a);
        for (const WindowSegment& segment : segments) {
            const WindowRanges own = windows_of(segment, windows);
            parts.windows = &own;
            parts.begin[at] = segment.first;
            parts.length = segment.end - segment.begin;
            const auto add = [&](const Operand& held, ShapeSpan) {
                parts.operand = held;
                results.add(parts.restored(work(parts)), parts.begin, all);
            };
            const Operand reached = part_of_lanes(inner, segment.begin, segment.end);
            if (segment.has_elements())
                for_each_slab(what, reached, whole, add);
            else
                add(reached, {});
        }
    };
    const auto explain = [&](const std::vector<WindowSegment>& segments, const char* one_by_one) {
        explained_as([&] {
            return fmt::format(
                "{}: in {} segments between windows{}; chunks read: {}, and again where segments reach back",
                what, segments.size(), one_by_one, chunks_of(std::span(&x, 1)));
        });
    };
    const Shape origin(shape.size(), 0);
    if (const auto segments = window_segments(windows, length, room / lanes, most / lanes)) {
        explain(*segments, "");
        work_on(x, origin, *segments);
        return true;
    }
    const auto segments = window_segments(windows, length, room, most);
    if (!segments || lanes == 1) return false;
    for_each_lane(x, axis,
                  [&](const Operand& lane, ShapeSpan begin) { work_on(lane, begin, *segments); });
    return true;
}

} // namespace purview
