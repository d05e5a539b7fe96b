#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// The diagonal of two axes: element i is at (i, i + offset) of `axis0`, `axis1` for offset >= 0,
/// else at (i - offset, i). Both axes go, and the diagonal becomes the last one, as in NumPy; it is
/// empty where the offset leaves the array. Folds when both axes are plain, else adds one layer.
/// Throws `IndexError` for axes out of range or equal.
PURVIEW_EXPORT Dimensions diagonal(const Dimensions& dims, index_t axis0 = 0, index_t axis1 = 1,
                                   index_t offset = 0);

} // namespace purview::dimensions
