#pragma once

#include <purview/dimensions/dimensions.hpp>

namespace purview::inline v0_1::dimensions {

/// Gives the elements, in row-major order, another shape of the same count. One extent may be -1
/// and is inferred. Folds where strides can express it (NumPy's rule for a reshape without a copy,
/// per group of axes; axes that keep their extent may have any index map), and otherwise adds one
/// layer, in the place of one that only gave another shape. Never copies. Throws `ShapeError`,
/// naming both shapes, when the counts differ.
PURVIEW_EXPORT Dimensions reshape(const Dimensions& dims, ShapeSpan shape);

} // namespace purview::dimensions
