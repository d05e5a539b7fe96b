#pragma once

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace purview {

/// Signed, so that strides, offsets and counts from the end share one type with indexes.
using index_t = std::int64_t;

/// Axes up to this count are held inside `Shape` and `Dimensions`, without an allocation.
inline constexpr int kInlineRank = 6;

/// A short list with one entry per axis: a shape, strides, a permutation, coordinates.
using Shape = boost::container::small_vector<index_t, kInlineRank>;

/// Read-only parameter form of the same: accepts `Shape`, arrays, vectors and other spans.
using ShapeSpan = std::span<const index_t>;

/// Copies a span into a list of its own.
inline Shape to_shape(ShapeSpan values) {
    return Shape(values.begin(), values.end());
}

}  // namespace purview
