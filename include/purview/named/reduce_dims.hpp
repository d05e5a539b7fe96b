#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

namespace purview {

/// A tensor with dims, arranged for a reduction: the axes of the operand that are reduced, and the dims
/// that the result still has.
struct DimReduction {
    Operand operand;
    Shape axes;
    DimVector left;

    DimOperand result(Operand reduced) && { return {std::move(reduced), std::move(left)}; }
};

/// Over the axes and dims given, or over all positional axes. Throws `DimError` naming `what` for a Dim
/// that the tensor does not have, one given twice, or with `keep`; `IndexError` for a wrong axis.
PURVIEW_EXPORT DimReduction dims_to_reduce(const char* what, const DimOperand& x, const Axes* axes,
                                           bool keep);

/// Two operands, broadcast together over the union of their dims, which is returned. Throws `ShapeError` naming `what`.
PURVIEW_EXPORT DimVector broadcast_over_dims(const char* what,
                                             const std::array<const DimOperand*, 2>& operands,
                                             std::array<Operand, 2>& both);

template <HasDims X>
DimReduction dims_to_reduce(const char* what, const X& x, const Axes* axes, bool keep) {
    return dims_to_reduce(what, dim_operand(x), axes, keep);
}

} // namespace purview
