#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

namespace purview::inline v0_1 {

/// A tensor with dims, prepared for a reduction: an operand, the axes of it to reduce, and the dims
/// of the result.
struct DimReduction {
    Operand operand;
    Shape axes;
    DimVector left;

    DimOperand result(Operand reduced) && { return {std::move(reduced), std::move(left)}; }
};

/// Prepares the reduction over the given axes and dims, or over all positional axes. Throws
/// `DimError` naming `what` for a Dim that the tensor does not have, one given twice, or one given
/// with `keep`; `IndexError` for an axis out of range.
PURVIEW_EXPORT DimReduction dims_to_reduce(const char* what, const DimOperand& x, const Axes* axes,
                                           bool keep);

/// What a sum or mean over dims adds up: a product of integers narrower than 64 bits is computed in
/// 64 bits, as `einsum` and `matmul` compute it, and not in the type that the product alone has. Any
/// other operand as it is.
PURVIEW_EXPORT Operand summand_over_dims(Operand x);

/// Broadcasts two operands together over the union of their dims, and returns these dims. Throws
/// `ShapeError` naming `what`.
PURVIEW_EXPORT DimVector broadcast_over_dims(const char* what,
                                             const std::array<const DimOperand*, 2>& operands,
                                             std::array<Operand, 2>& both);

} // namespace purview
