// Defines engine/copy/copy.hpp.

#include <purview/base/errors.hpp>

#include "engine/copy/copy.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1::engine {
namespace {

bool is_unit(const CopySide& side, index_t size) { return side.is_plain() && side.stride == size; }

bool has_lists(const CopyBox& box) {
    for (const CopyAxis& axis : box.axes)
        for (const CopySegment& segment : axis)
            if (!segment.from.is_plain() || !segment.to.is_plain()) return true;
    return false;
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
    const bool lines = is_unit(inner.from, size) && is_unit(inner.to, size);
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
    std::string text = from_stream_ ? "copied by addresses"
                       : boxes_.empty()
                           ? "nothing to copy"
                           : describe_box(boxes_.front(), static_cast<index_t>(element_bytes_));
    if (boxes_.size() > 1) text += fmt::format(", {} more like it", boxes_.size() - 1);
    return streaming_ ? text + ", past the caches" : text;
}

} // namespace purview::engine
