// Defines engine/copy/copy.hpp.

#include <purview/base/errors.hpp>

#include "engine/copy/copy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

bool has_lists(const CopyBox& box) {
    return !std::ranges::all_of(box.axes, [](const CopyAxis& axis) {
        return std::ranges::all_of(axis, &CopySegment::is_plain);
    });
}

std::string describe_box(const CopyBox& box, index_t size) {
    if (box.axes.empty()) return "one element copied";
    Shape extents;
    bool in_pieces = false;
    for (const CopyAxis& axis : box.axes) {
        extents.push_back(extent_of(axis));
        in_pieces = in_pieces || axis.size() > 1;
    }
    const CopySegment& inner = box.axes.back().front();
    const bool lines = inner.from.is_unit(size) && inner.to.is_unit(size);
    std::string text = box.transposed         ? "copied in transposed tiles"
                       : has_lists(box)       ? "copied by index lists"
                       : lines                ? "copied in runs"
                       : box.axes.size() == 1 ? "copied by strides"
                                              : "copied in rectangles";
    if (lines && !in_pieces) text += fmt::format(" of {} bytes", inner.extent * size);
    text += fmt::format(", loops {}", to_string(extents));
    return in_pieces ? text + ", cut where an axis wraps round" : text;
}

} // namespace

std::string CopyPlan::describe() const {
    std::string text =
        from_stream_ ? "copied by addresses"
        : cover_.boxes.empty()
            ? "nothing to copy"
            : describe_box(cover_.boxes.front(), static_cast<index_t>(moves_.element_bytes));
    if (cover_.boxes.size() > 1) text += fmt::format(", {} more like it", cover_.boxes.size() - 1);
    return moves_.streaming ? text + ", past the caches" : text;
}

} // namespace purview::engine
