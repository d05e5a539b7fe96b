#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1 {

/// Throws `ShapeError` naming `what` unless `shape` has `count` elements.
PURVIEW_EXPORT void check_element_count(const char* what, ShapeSpan shape, index_t count);

/// Throws `ShapeError` naming `what` unless every address of `dims` lies in [0, size).
PURVIEW_EXPORT void check_address_range(const char* what, const Dimensions& dims, index_t size);

/// Throws `ShapeError` naming `what` unless the two ranks are equal.
PURVIEW_EXPORT void check_rank(const char* what, int actual, int expected);

/// Throws `ShapeError` for a ragged literal: lists of `expected` and `actual` elements at one
/// depth.
[[noreturn]] PURVIEW_EXPORT void throw_ragged(std::size_t depth, index_t expected, index_t actual);

[[noreturn]] PURVIEW_EXPORT void throw_negative_count(const char* what, index_t count);

/// The length of a half-open progression. Throws `ShapeError` for a step of 0, for NaN, and for a
/// length that does not fit `index_t`.
PURVIEW_EXPORT index_t arange_count(long double begin, long double end, long double step);

} // namespace purview
