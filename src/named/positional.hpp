#pragma once

#include <purview/named/deferred.hpp>

namespace purview::named {

/// The sizes of the positional axes of an operand that is not deferred.
inline ShapeSpan positional_shape(const DimOperand& x) {
    return x.operand.dims.max_shape().subspan(x.dims.size());
}

/// What has only the positional axes: not to be read, but to be refused as the user would have it refused, with axes
/// counted without dims, and in shapes without them.
inline Operand positional_stand_in(const Operand& x, std::size_t dims) {
    const ShapeSpan shape = x.dims.max_shape().subspan(dims);
    return {x.node, Dimensions::strided(shape, Shape(shape.size(), 0))};
}

} // namespace purview::named
