#pragma once

#include <purview/named/deferred.hpp>

namespace purview::inline v0_1::named {

/// The sizes of the positional axes of an operand that is not deferred.
inline ShapeSpan positional_shape(const DimOperand& x) {
    return x.operand.dims.max_shape().subspan(x.dims.size());
}

/// An operand with only the positional axes of `x`. It is not for reading, but for checking
/// arguments: error messages then count axes, and show shapes, without dims.
inline Operand positional_stand_in(const Operand& x, std::size_t dims) {
    const ShapeSpan shape = x.dims.max_shape().subspan(dims);
    return {x.node, Dimensions::strided(shape, Shape(shape.size(), 0))};
}

} // namespace purview::named
