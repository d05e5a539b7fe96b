#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <optional>

namespace purview::inline v0_1::engine {

/// `dims`, reduced, without the outer layers that only reshape what lies below: the same addresses
/// in the same row-major order, of another shape.
Dimensions without_reshapes(const Dimensions& dims);

/// Strides that give the addresses of `dims`, which is not strided, in the same row-major order,
/// along at least two axes: what `repeat` and `tile` make, and reshaped transposes. Nothing where
/// there are none.
std::optional<Dimensions> strides_in_order(const Dimensions& dims);

} // namespace purview::engine
