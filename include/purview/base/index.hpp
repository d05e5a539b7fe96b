#pragma once

#include <purview/base/inline_vector.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <utility>

namespace purview::inline v0_1 {

/// Signed, so that strides, offsets and counts from the end share one type with indexes.
using index_t = std::int64_t;

/// Axes up to this count are held inside `Shape` and `Dimensions`, without an allocation.
inline constexpr int kInlineRank = 6;

/// Read-only parameter form of a list with one entry per axis.
using ShapeSpan = std::span<const index_t>;

/// A short list with one entry per axis: a shape, strides, a permutation, coordinates.
using Shape = InlineVector<index_t, kInlineRank>;
extern template class PURVIEW_EXPORT InlineVector<index_t, kInlineRank>;

/// Compares with another list of integers: `x.shape() == std::vector{2, 3}`.
template <typename List>
    requires(!std::derived_from<List, Shape> && std::integral<typename List::value_type>)
bool operator==(const Shape& shape, const List& list) {
    auto extent = shape.data();
    const auto end = extent + shape.size();
    for (const auto value : list)
        if (extent == end || !std::in_range<index_t>(value) || *extent++ != index_t(value))
            return false;
    return extent == end;
}

/// Prints `[2 3]`.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// Copies a span into a list of its own.
inline Shape to_shape(ShapeSpan values) {
    return Shape(values.data(), values.data() + values.size());
}

} // namespace purview
