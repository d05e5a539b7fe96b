#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

namespace purview::inline v0_1 {

/// A tensor with dims, prepared for a reduction: an operand, the axes of it to reduce, and the dims
/// of the result.
struct PURVIEW_EXPORT DimReduction {
    Operand operand;
    Shape axes;
    DimVector left;
    Shape kept_dims; ///< with `keep`, the axes of reduced dims

    /// Where an axis stands that a reduction adds before the positional ones.
    index_t lead() const noexcept { return std::ssize(left) + std::ssize(kept_dims); }
    /// `reduced` under the dims that are left. A reduced Dim goes, also with `keep`: what it is
    /// combined with broadcasts to it by name.
    DimOperand result(Operand reduced) &&;
};

/// Prepares the reduction over the given axes and dims, or over all positional axes. Throws
/// `DimError` naming `what` for a Dim that the tensor does not have, or one given twice;
/// `IndexError` for an axis out of range.
PURVIEW_EXPORT DimReduction dims_to_reduce(const char* what, const DimOperand& x, const Axes* axes,
                                           bool keep);

/// What a sum or mean over dims adds up: a product or square of integers narrower than 64 bits, and
/// sums, differences and negatives that hold one, are computed in 64 bits, as `einsum` and `matmul`
/// compute them, and not in the type that they alone have. Any other operand as it is.
PURVIEW_EXPORT Operand summand_over_dims(Operand x);

/// Broadcasts two operands together over the union of their dims, and returns these dims. Throws
/// `ShapeError` naming `what`.
PURVIEW_EXPORT DimVector broadcast_over_dims(const char* what,
                                             const std::array<const DimOperand*, 2>& operands,
                                             std::array<Operand, 2>& both);

} // namespace purview
