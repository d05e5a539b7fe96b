#pragma once

#include <purview/base/errors.hpp>

namespace purview::inline v0_1 {

[[noreturn]] PURVIEW_EXPORT void throw_overflow(const char* what, index_t a, index_t b);

/// `a * b`. Throws `ShapeError` naming `what` and both values when it overflows.
inline index_t checked_multiply(index_t a, index_t b, const char* what) {
    index_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) throw_overflow(what, a, b);
    return result;
}

/// `a + b`. Throws `ShapeError` naming `what` and both values when it overflows.
inline index_t checked_add(index_t a, index_t b, const char* what) {
    index_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw_overflow(what, a, b);
    return result;
}

/// The number of elements in a shape: 1 for rank 0, 0 when any extent is 0. Throws `ShapeError`
/// on a negative extent, and when the product of the non-zero extents overflows (so that no view
/// of an empty tensor can have an unrepresentable size or stride).
PURVIEW_EXPORT index_t checked_size(ShapeSpan shape, const char* what);

/// Turns an axis in [-rank, rank) into one in [0, rank). Throws `IndexError` naming `what`.
PURVIEW_EXPORT int checked_axis(index_t axis, int rank, const char* what);

/// Turns an index in [-size, size) into one in [0, size). Throws `IndexError` naming `what`, the
/// axis, the index and the size.
PURVIEW_EXPORT index_t checked_index(index_t index, index_t size, int axis, const char* what);

} // namespace purview
