#include "functional/along/lane_segments.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/along/rolling_window.hpp>

#include "base/explained_call.hpp"
#include "evaluation/lane_slabs.hpp"
#include "functional/along/window_segments.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace purview::inline v0_1 {
namespace {

/// How the results of parts of one length are cut.
class SegmentEnds {
public:
    /// `room`: for so many elements of a part there is room at once.
    SegmentEnds(index_t results, const Segments& cut, index_t room) : results_(results) {
        length_ = std::max<index_t>((room - cut.window + 1) / cut.multiple, 1) * cut.multiple;
        // One window alone would be reduced in another order than several.
        count_ = (std::max<index_t>(results - cut.step, 1) + length_ - 1) / length_;
    }
    index_t count() const { return count_; }
    index_t begin(index_t i) const { return i * length_; }
    index_t end(index_t i) const { return i + 1 == count_ ? results_ : (i + 1) * length_; }

private:
    index_t results_;
    index_t length_;
    index_t count_;
};

/// The work on segments of some of the parts of an operand, which lie at `begin` in it.
class PartSegments {
public:
    PartSegments(const char* what, const Operand& x, index_t axis, const Segments& cut,
                 SlabResults& results)
        : what_(what),
          axis_(static_cast<std::size_t>(axis)),
          cut_(cut),
          shape_(to_shape(x.dims.max_shape())),
          results_(results) {}

    void operator()(const Operand& some, ShapeSpan begin, index_t room, AxisWork work) {
        AxisParts parts = axis_parts(what_, some, static_cast<index_t>(axis_));
        const Operand padded =
            padded_lanes(what_, parts, cut_.before, cut_.behind, cut_.edge).padded;
        const Operand inner = parts.operand;
        const index_t length = parts.length;
        const SegmentEnds ends(length + cut_.before + cut_.behind - cut_.window + 1, cut_, room);
        std::any carried;
        parts.carried = &carried;
        parts.is_padded = cut_.window > 1 || cut_.before + cut_.behind > 0;
        parts.begin = to_shape(begin);
        parts.shape_of_all = shape_;
        for (index_t i = 0; i < ends.count(); ++i) {
            const index_t at = cut_.from_the_end ? ends.count() - 1 - i : i;
            const index_t first = ends.begin(at);
            const index_t last = ends.end(at) + cut_.window - 1; // of what is read
            const bool inside = first >= cut_.before && last - cut_.before <= length;
            parts.begin[axis_] = first;
            parts.length = last - first;
            const Operand segment =
                inside ? part_of_lanes(inner, first - cut_.before, last - cut_.before)
                       : part_of_lanes(padded, first, last);
            Shape whole;
            for (index_t a = 0; a < segment.dims.rank(); ++a) whole.push_back(a);
            for_each_slab(what_, segment, whole, [&](const Operand& held, ShapeSpan) {
                parts.operand = held;
                add(parts.restored(work(parts)), parts.begin,
                    (ends.end(ends.count() - 1) - 1) / cut_.step + 1);
            });
        }
    }

private:
    void add(const Operand& part, Shape begin, index_t results) {
        Shape shape = shape_;
        shape[axis_] = results;
        begin[axis_] /= cut_.step;
        results_.add(part, begin, shape);
    }

    const char* what_;
    std::size_t axis_;
    const Segments& cut_;
    Shape shape_;
    SlabResults& results_;
};

} // namespace

bool worked_in_segments(const char* what, const Operand& x, index_t axis, const Segments& given,
                        AxisWork work, SlabResults& results) {
    if (given.windows != nullptr)
        return worked_between_windows(what, x, axis, *given.windows, work, results);
    const index_t length = x.dims.max_shape()[static_cast<std::size_t>(axis)];
    const index_t left = memory_left();
    const index_t bytes = x.dtype().size_bytes();
    const index_t most = left / 2 / bytes; // elements at once
    Segments cut = given;
    if (std::min(cut.window, cut.step) < 1 || std::max(cut.window, cut.step) > most) return false;
    const index_t common = std::gcd(cut.multiple, cut.step);
    if (cut.multiple / common > most / cut.step) return false;
    cut.multiple *= cut.step / common;
    // The last segment takes over a result that would be left alone.
    const index_t least = cut.multiple + cut.step + cut.window;
    if (length + cut.before + cut.behind <= cut.window || least > most) return false;
    PartSegments segments(what, x, axis, cut, results);
    // Results, too, take memory, and may be of eight bytes for each of one.
    const index_t room = std::min(left / 8, kMostSegmentBytes) / std::max<index_t>(bytes, 8);
    const index_t parts = x.dims.size() / length;
    explained_as([&] {
        const bool together = parts <= most / 2 / least;
        const index_t made = length + cut.before + cut.behind - cut.window + 1;
        const SegmentEnds ends(made, cut, together ? room / parts : room);
        const std::string lanes = !together   ? ", lane by lane"
                                  : parts > 1 ? fmt::format(", of {} lanes together", parts)
                                              : "";
        const char* const again = cut.window > 1 ? ", and again where segments reach back" : "";
        return fmt::format("{}: in {} segments of {} elements{}; chunks read: {}{}", what,
                           ends.count(), ends.end(0), lanes, chunks_of(std::span(&x, 1)), again);
    });
    if (parts <= most / 2 / least) {
        segments(x, Shape(x.dims.max_shape().size(), 0), room / parts, work);
        return true;
    }
    for_each_lane(x, axis,
                  [&](const Operand& lane, ShapeSpan begin) { segments(lane, begin, room, work); });
    return true;
}

void for_each_lane(const Operand& x, index_t axis,
                   FunctionRef<void(const Operand& lane, ShapeSpan begin)> work) {
    const auto at = static_cast<std::size_t>(axis);
    Shape extents(x.dims.max_shape().size(), 1);
    extents[at] = x.dims.max_shape()[at];
    for (index_t i = 0; i < x.dims.size() / extents[at]; ++i) {
        Shape begin(extents.size(), 0);
        index_t left = i;
        for (std::size_t a = begin.size(); a-- > 0;) {
            if (a == at) continue;
            begin[a] = left % x.dims.max_shape()[a];
            left /= x.dims.max_shape()[a];
        }
        work({x.node, box_from(x.dims, begin, extents)}, begin);
    }
}

AxisParts with_elements(const AxisParts& parts, const Operand& more, bool behind) {
    AxisParts longer = parts;
    longer.operand = behind ? concat_operand("segment", {parts.operand, more}, -1)
                            : concat_operand("segment", {more, parts.operand}, -1);
    longer.length = longer.operand.dims.max_shape().back();
    return longer;
}

Operand part_of_lanes(const Operand& lanes, index_t begin, index_t end) {
    return {lanes.node, dimensions::select(lanes.dims, lanes.dims.rank() - 1, Range(begin, end))};
}

} // namespace purview
