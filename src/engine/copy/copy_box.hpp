#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <boost/container/small_vector.hpp>

#include <cstddef>

namespace purview::inline v0_1::engine {

/// One operand's side of a piece of an axis, in bytes: element i lies at `offset + stride·i`, or at
/// `offset + stride·list[i]` where there is a list.
struct CopySide {
    index_t offset = 0;
    index_t stride = 0;
    const index_t* list = nullptr;

    index_t at(index_t i) const noexcept {
        return offset + stride * (list == nullptr ? i : list[i]);
    }
    bool is_plain() const noexcept { return list == nullptr; }
    bool is_unit(index_t element_bytes) const noexcept {
        return list == nullptr && stride == element_bytes;
    }
    /// The side from element `begin` on.
    CopySide from(index_t begin) const noexcept {
        return list == nullptr ? CopySide{offset + stride * begin, stride, nullptr}
                               : CopySide{offset, stride, list + begin};
    }
};

/// A piece of an axis within which neither side wraps round.
struct CopySegment {
    index_t extent = 0;
    CopySide from;
    CopySide to;

    bool is_plain() const noexcept { return from.is_plain() && to.is_plain(); }
    CopySegment part(index_t begin, index_t end) const noexcept {
        return {end - begin, from.from(begin), to.from(begin)};
    }
};

/// The pieces of an axis: two or three where it is rotated, mostly one elsewhere.
using CopyAxis = boost::container::small_vector<CopySegment, 2>;

index_t extent_of(const CopyAxis& axis) noexcept;

/// A copy over the product of its axes. The innermost one is last.
struct CopyBox {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    boost::container::small_vector<CopyAxis, 4> axes;
    /// Each plane of the two innermost axes is a transpose: the source has unit stride along the
    /// outer one of them, the destination along the inner one.
    bool transposed = false;

    index_t size() const noexcept;
    /// Adds an axis: none for one element, else where the destination's strides fall, turned so
    /// that they are positive. Precondition: no two elements of the destination share an address.
    void add(CopyAxis axis);
    /// To be called when all axes are added. Merges neighbours, and puts beside the innermost axis
    /// the one that makes the best plane with it.
    void finish(index_t element_bytes);
};
using CopyBoxes = boost::container::small_vector<CopyBox, 1>;

namespace copy_box {

/// How a finished box is cut into parts: along the product of its first `axes` axes, in steps of
/// `grain`, so that rows are not cut into small pieces.
struct Cut {
    std::size_t axes = 0;
    index_t count = 1;  ///< elements of the product of these axes
    index_t weight = 1; ///< elements of the box for each of them
    index_t grain = 1;

    explicit Cut(const CopyBox& box) noexcept;
    /// Where a part that begins, or ends, at an element is cut: rounded up, from 0 to `count`.
    index_t position(index_t element) const noexcept;
};

void restrict_axis(CopyBox& box, std::size_t axis, index_t begin, index_t end);

/// Calls `f(part)` for boxes that make up the positions [begin, end) of a cut, of which there are
/// `count` along the axes from `axis` on.
template <typename F>
void visit(const CopyBox& box, std::size_t axis, index_t count, index_t begin, index_t end, F&& f) {
    if (begin >= end) return;
    if (begin == 0 && end == count) return f(box);
    const index_t inner = count / extent_of(box.axes[axis]);
    const index_t first = begin / inner;
    const index_t last = end / inner;
    const auto within = [&](index_t i, index_t from, index_t to) {
        CopyBox part = box;
        restrict_axis(part, axis, i, i + 1);
        visit(part, axis + 1, inner, from, to, f);
    };
    if (first == last) return within(first, begin - first * inner, end - last * inner);
    const index_t whole = begin == first * inner ? first : first + 1;
    if (whole != first) within(first, begin - first * inner, inner);
    if (whole < last) {
        CopyBox part = box;
        restrict_axis(part, axis, whole, last);
        f(part);
    }
    if (end > last * inner) within(last, 0, end - last * inner);
}

} // namespace copy_box

} // namespace purview::engine
