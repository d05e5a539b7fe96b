#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Windows of `window` neighbours along an axis, every `step`-th of them: the axis keeps its place
/// with `(n - window) / step + 1` elements, and the positions in the window become the last axis,
/// as in NumPy. Folds on a plain axis (two axes with one stride), else adds one layer. Throws
/// `ShapeError` unless 1 <= window <= n and step >= 1, `IndexError` for an axis out of range.
PURVIEW_EXPORT Dimensions sliding_window(const Dimensions& dims, index_t axis, index_t window,
                                         index_t step = 1);

} // namespace purview::dimensions
