#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/node.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>

#include <optional>
#include <utility>

namespace purview {

/// An axis, or nothing, which means the last axis.
using ChosenAxis = std::optional<AxisOrDim>;

/// A tensor arranged for an operation along one of its axes: this axis is moved to the end, so that
/// its lanes (parts) are consecutive in the global order.
struct AxisParts {
    Operand operand;
    index_t groups = 1;          ///< the number of parts
    index_t length = 1;          ///< the number of elements of each part
    Shape restoring_permutation; ///< moves the axis back; without it where it is dropped

    /// The position of the axis in the tensor; 0 for a tensor of rank 0.
    PURVIEW_EXPORT index_t axis() const;
    /// The number of elements in the axes after it: 1 for the last axis.
    PURVIEW_EXPORT index_t inner() const;
    /// `result`, which is in the order of `operand`, with its axes moved back to the tensor's
    /// order.
    PURVIEW_EXPORT Operand restored(const Operand& result) const;
};

/// The parts along a positional axis of an operand. Throws `IndexError` naming `what`.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, index_t axis);
/// The parts along the last axis; a tensor of rank 0 is one part of one element.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x);

/// Parts of one element each, for a tensor whose axes are all dims.
PURVIEW_EXPORT AxisParts single_parts(const Operand& x);

/// The parts along the chosen axis. Throws `DimError` naming `what` for a Dim.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, const ChosenAxis& axis);

/// The result of an operation along an axis or a Dim, under the other axes and dims of `x`.
/// `work(parts)` computes it in the order of the parts.
template <TensorLike X, typename Work>
auto work_along(const char* what, const X& x, const ChosenAxis& axis, Work work) {
    if constexpr (HasDims<X>) {
        auto bound = settled(dim_operand(x));
        const bool has_none = !axis && x.rank() == 0;
        const Axes axes{axis ? *axis : AxisOrDim(-1)};
        const AxisParts parts = has_none
                                    ? single_parts(bound.operand)
                                    : axis_parts(what, bound.operand,
                                                 dims_to_reduce(what, bound, &axes, false).axes[0]);
        bound.operand = parts.restored(work(parts));
        return bound;
    } else {
        const AxisParts parts = axis_parts(what, x.operand(), axis);
        return parts.restored(work(parts));
    }
}

/// The same for work that allocates its result, with elements of type `R` (`void` if only the work
/// knows the type). Throws `KindError` for a sparse `x`.
template <typename R, TensorLike X, typename Work>
auto along_axis(const char* what, const X& x, const ChosenAxis& axis, Work work) {
    if constexpr (HasDims<X>)
        require_not_sparse(what, dim_operand(x).operand);
    else
        require_not_sparse(what, x.operand());
    if constexpr (std::is_void_v<R> || !TypedTensor<X>)
        return AnyTensor::writable(work_along(what, x, axis, work));
    else if constexpr (HasDims<X>)
        return ResultHandle<R, X>(work_along(what, x, axis, work));
    else
        return MutableTensor<R>(work_along(what, x, axis, work));
}
/// The same for lazy work.
template <typename R, TensorLike X, typename Work>
auto lazily_along(const char* what, const X& x, const ChosenAxis& axis, Work work) {
    if constexpr (std::is_void_v<R> || !TypedTensor<X>)
        return AnyTensor(work_along(what, x, axis, work));
    else
        return ResultHandle<R, X>(work_along(what, x, axis, work));
}

/// Throws `DimError` naming `what` for a Dim, as the operation would change its size.
PURVIEW_EXPORT void require_positional(const char* what, const ChosenAxis& axis);

} // namespace purview
