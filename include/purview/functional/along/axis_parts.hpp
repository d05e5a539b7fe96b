#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/node.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>

#include <optional>
#include <utility>

namespace purview {

/// An axis, or the last one if none is given.
using ChosenAxis = std::optional<AxisOrDim>;

/// A tensor arranged for work along one of its axes: this one last, so that its parts follow one another in the
/// global order.
struct AxisParts {
    Operand operand;
    index_t groups = 1; ///< parts
    index_t length = 1; ///< of each
    Shape
        back; ///< the permutation that puts the axis where it was; without it, if it is to go again

    /// Which axis of the tensor it is; of a tensor of rank 0, 0.
    PURVIEW_EXPORT index_t axis() const;
    /// How many elements lie behind it for each of its places: 1 for the last axis.
    PURVIEW_EXPORT index_t inner() const;
    /// What lies in the order of `operand`, seen as the tensor was.
    PURVIEW_EXPORT Operand restored(const Operand& result) const;
};

/// Along a positional axis of an operand. Throws `IndexError` naming `what`.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, index_t axis);
/// Along the last axis; a tensor of rank 0 is one part of one element.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x);

/// Parts of one element each, of a tensor that has no axis but those of dims.
PURVIEW_EXPORT AxisParts single_parts(const Operand& x);

/// The axis that is given. Throws `DimError` naming `what` for a Dim.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, const ChosenAxis& axis);

/// What `work(parts)` makes in the order of the parts: the result of an operation along an axis or a Dim, for all others,
/// under the shape and dims of `x`.
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

/// The same of work that makes memory, with elements of `R`, which is `void` where only the work knows. Throws `KindError` for
/// a sparse `x`.
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
/// And of lazy work.
template <typename R, TensorLike X, typename Work>
auto lazily_along(const char* what, const X& x, const ChosenAxis& axis, Work work) {
    if constexpr (std::is_void_v<R> || !TypedTensor<X>)
        return AnyTensor(work_along(what, x, axis, work));
    else
        return ResultHandle<R, X>(work_along(what, x, axis, work));
}

/// Throws `DimError` naming `what` for a Dim, which keeps its size.
PURVIEW_EXPORT void require_positional(const char* what, const ChosenAxis& axis);

} // namespace purview
