#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <optional>
#include <span>
#include <vector>

namespace purview {

/// Several operands that become one along a Dim: the memory they take, and where in it each goes.
struct Concatenation {
    Shape shape;                ///< of the memory, row-major
    Dimensions view;            ///< of the memory: the dims of the result, then its positional axes
    DimVector dims;             ///< of the result
    std::vector<Operand> parts; ///< over the union of their dims
    std::vector<Dimensions> places; ///< of the memory, one for each part
};

/// New axes of one element each, before `place`, or first. Binds the size of `new_dim`, when all else is right.
/// Throws `DimError`, `ShapeError`, `IndexError`.
PURVIEW_EXPORT Concatenation plan_stack(std::vector<DimOperand> parts, const Dim& new_dim,
                                        const std::optional<AxisOrDim>& place);
/// Along an axis that each part has, the same one or one for each.
PURVIEW_EXPORT Concatenation plan_cat(std::vector<DimOperand> parts, const Axes& axes,
                                      const Dim& new_dim);

/// The memory, filled.
template <ElementType T>
MutableDimTensor<T> concatenated(const Concatenation& plan) {
    const MutableTensor<T> memory = empty<T>(plan.shape);
    for (std::size_t i = 0; i < plan.parts.size(); ++i)
        assign(plan.parts[i], {memory.operand().node, plan.places[i]});
    return MutableDimTensor<T>(DimOperand({memory.operand().node, plan.view}, plan.dims));
}

template <typename List>
std::vector<DimOperand> bound_operands(const List& tensors) {
    std::vector<DimOperand> operands;
    for (const auto& tensor : tensors) operands.push_back(bound_operand(tensor));
    return operands;
}

} // namespace purview
