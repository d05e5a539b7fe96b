#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>

#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A plan to join several operands along a Dim: the memory of the result, and the part of it that
/// each operand fills.
struct Concatenation {
    Shape shape;                ///< of the memory, row-major
    Dimensions view;            ///< of the memory: its axes are the dims of the result, then its
                                ///< positional axes
    DimVector dims;             ///< of the result
    std::vector<Operand> parts; ///< the operands, over the union of their dims
    std::vector<Dimensions> places; ///< of the memory: the elements that each part fills
};

/// The parts become axes of size 1 of `new_dim`, placed in memory before `place`, or first. Binds
/// the size of `new_dim` when everything else is valid. Throws `DimError`, `ShapeError`,
/// `IndexError`.
PURVIEW_EXPORT Concatenation plan_stack(std::vector<DimOperand> parts, const Dim& new_dim,
                                        const std::optional<AxisOrDim>& place);
/// The parts are joined along an axis that each has: one for all, or one for each of them.
PURVIEW_EXPORT Concatenation plan_cat(std::vector<DimOperand> parts, const Axes& axes,
                                      const Dim& new_dim);

/// The result of a plan of parts that symbols are among, as a node, and of parts on a device, there;
/// else nothing.
PURVIEW_EXPORT std::optional<DimOperand> traced(const Concatenation& plan);

/// Allocates the memory of a plan and fills it. Of symbols, it is traced, and cannot be written.
template <ElementType T>
MutableDimTensor<T> concatenated(const Concatenation& plan) {
    if (std::optional<DimOperand> node = traced(plan)) return MutableDimTensor<T>(*std::move(node));
    const MutableTensor<T> memory = empty<T>(plan.shape);
    for (std::size_t i = 0; i < plan.parts.size(); ++i)
        assign(plan.parts[i], {memory.operand().node, plan.places[i]});
    return MutableDimTensor<T>(DimOperand({memory.operand().node, plan.view}, plan.dims));
}

/// The operand cast to `dtype`, under its dims.
PURVIEW_EXPORT DimOperand cast_bound(const DimOperand& x, DType dtype);

/// `stack` and `cat` of tensors whose elements promote to type `R`.
template <ElementType R, TypedTensor... X>
DimTensor<R> stacked_over(std::type_identity<R>, const Dim& new_dim, const X&... x) {
    return concatenated<R>(plan_stack({cast_bound(bound_operand(x), kDType<R>)...}, new_dim, {}));
}
template <ElementType R, TypedTensor... X>
DimTensor<R> concatenated_over(std::type_identity<R>, const Axes& axes, const Dim& new_dim,
                               const X&... x) {
    return concatenated<R>(plan_cat({cast_bound(bound_operand(x), kDType<R>)...}, axes, new_dim));
}

/// The operand with `dim` as its first positional axis; if it does not have `dim`, it repeats over
/// it. Throws `DimError` naming `what`.
PURVIEW_EXPORT DimOperand dim_first(const char* what, const DimOperand& x, const Dim& dim);
template <TypedTensor X>
DimTensor<typename X::value_type> dim_first(const char* what, const X& x, const Dim& dim) {
    return DimTensor<typename X::value_type>(dim_first(what, bound_operand(x), dim));
}

/// Calls `function(operands)` with the tensors of a list, brought to the union of their dims.
template <typename List, typename F>
DimOperand combined_list(const List& list, const F& function) {
    std::vector<DimOperand> bound;
    for (const auto& x : list) bound.push_back(settled(bound_operand(x)));
    std::vector<const DimOperand*> pointers;
    for (const DimOperand& x : bound) pointers.push_back(&x);
    const auto call = [](const void* f, std::span<const Operand* const> x) -> Operand {
        std::vector<Operand> operands;
        for (const Operand* const each : x) operands.push_back(*each);
        return (*static_cast<const F*>(f))(std::move(operands));
    };
    return combine_operands({pointers.data(), pointers.size()}, {&function, call, {}, {}});
}

template <typename List>
std::vector<DimOperand> bound_operands(const List& tensors) {
    std::vector<DimOperand> operands;
    for (const auto& tensor : tensors) operands.push_back(bound_operand(tensor));
    return operands;
}

} // namespace purview
