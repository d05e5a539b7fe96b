#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/node.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>

#include <any>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The arguments after a tensor, as one value: an axis, or nothing, which means the last axis, and
/// the policy for NaN of functions that have one.
struct ChosenAxis : std::optional<AxisOrDim> {
    using optional::optional;

    NanRule nan = NanRule::keep;

    ChosenAxis with(NanRule rule) const {
        ChosenAxis other = *this;
        other.nan = rule;
        return other;
    }
};

struct WindowRanges; // functional/along/rolling_window.hpp

/// A tensor arranged for an operation along one of its axes: this axis is moved to the end, so that
/// its lanes (parts) are consecutive in the global order.
struct AxisParts {
    Operand operand;
    index_t groups = 1;          ///< the number of parts
    index_t length = 1;          ///< the number of elements of each part
    Shape restoring_permutation; ///< moves the axis back; without it where it is dropped
    Shape begin{};               ///< in a larger tensor, whose slab this is; else empty
    Shape shape_of_all{};        ///< of that tensor
    /// Of a segment of parts (`Segments`): what the segment before it has left, empty at first. Else null.
    std::any* carried = nullptr;
    /// Whether a segment has the elements around it that its windows reach, so that nothing is padded.
    bool is_padded = false;
    /// Of a segment between windows that are listed: these, from its own begin on; its first one is `first()`. Else null.
    const WindowRanges* windows = nullptr;

    /// The position of the axis in the tensor; 0 for a tensor of rank 0.
    PURVIEW_EXPORT index_t axis() const;
    /// The place of a segment's first result in its part.
    index_t first() const { return begin.empty() ? 0 : begin[static_cast<std::size_t>(axis())]; }
    /// The i-th of two things that are carried; null where nothing is.
    PURVIEW_EXPORT std::any* carried_at(std::size_t i) const;
    /// The number of elements in the axes after it: 1 for the last axis.
    PURVIEW_EXPORT index_t inner() const;
    /// That number in the tensor whose slab this is: the order in which a scan adds up depends on it.
    PURVIEW_EXPORT index_t inner_of_all() const;
    /// `result`, which is in the order of `operand`, with its axes moved back to the tensor's
    /// order.
    PURVIEW_EXPORT Operand restored(const Operand& result) const;
    /// The part of a mask of the whole tensor's shape that lies beside these parts, in the tensor's order. Throws
    /// `ShapeError` naming `what` for another shape.
    PURVIEW_EXPORT Operand mask_beside(const char* what, const Operand& mask) const;
};

/// The parts along a positional axis of an operand. Throws `IndexError` naming `what`.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, index_t axis);
/// The parts along the last axis; a tensor of rank 0 is one part of one element.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x);

/// Parts of one element each, for a tensor whose axes are all dims.
PURVIEW_EXPORT AxisParts single_parts(const Operand& x);

/// The parts along the chosen axis. Throws `DimError` naming `what` for a Dim.
PURVIEW_EXPORT AxisParts axis_parts(const char* what, const Operand& x, const ChosenAxis& axis);

/// What computes the result of an operation along an axis, in the order of the parts.
using AxisWork = FunctionRef<Operand(const AxisParts&)>;

/// What `work` is given at once: all parts, or as many as have room in memory. Of an operand over arrays of chunks larger
/// than that, the results of slabs of whole parts are put together. Where one part has no room, `long_parts` gives each
/// alone, still over chunks, and `segments` segments of parts; else that is a `MemoryLimitError`.
enum class GivenParts : std::uint8_t { at_once, slabs, long_parts, segments };

enum class PadMode : std::uint8_t; // functional/assembly/pad.hpp

/// How parts that have no room in memory are cut into segments, which are worked on one after the other, each of all parts
/// or of one. Results are the bits of whole parts if `work` carries on (`AxisParts::carried`) what it needs of those
/// before, and what it computes in groups or pieces begins anew at each `multiple`.
struct Segments {
    index_t multiple = 16;     ///< segments begin at multiples of so many elements
    bool from_the_end = false; ///< the last one comes first
    /// How many elements a result reads, from its own place on, of parts with so many elements more in front and behind.
    index_t window = 1;
    index_t before = 0;
    index_t behind = 0;
    PadMode edge{};
    index_t step = 1; ///< how far apart results are, which segments begin at multiples of, too
    /// Windows that are listed, one for each result: segments lie between those, and nothing else above counts.
    const WindowRanges* windows = nullptr;
};

/// `GivenParts`, and how segments are cut.
struct CutParts {
    CutParts(GivenParts given) : parts(given) {}
    CutParts(const Segments& cut) : parts(GivenParts::segments), segments(cut) {}

    GivenParts parts;
    Segments segments = {};
};

/// What is carried of each part from segment to segment, which begins as `start`. Of whole parts, one after the other.
template <typename State>
class CarriedStates {
public:
    CarriedStates(const AxisParts& parts, const State& start) : first_{start}, own_(first_) {
        if (parts.carried == nullptr) return;
        if (!parts.carried->has_value())
            *parts.carried = std::vector<Held>(static_cast<std::size_t>(parts.groups), first_);
        carried_ = &std::any_cast<std::vector<Held>&>(*parts.carried);
    }
    /// Of the next part, or of this one.
    State& operator[](index_t group) {
        if (carried_ != nullptr) return (*carried_)[static_cast<std::size_t>(group)].state;
        own_ = first_;
        return own_.state;
    }

private:
    struct Held { // bools, too, are references in a vector then
        State state;
    };
    Held first_;
    Held own_;
    std::vector<Held>* carried_ = nullptr;
};

/// The result of `work`, with the axes in the order of the operand.
PURVIEW_EXPORT Operand worked_along(const char* what, const Operand& x, const ChosenAxis& axis,
                                    AxisWork work, const CutParts& given = GivenParts::slabs);
/// The result of `work` along axis `position`, or, without one, for parts of one element each; with
/// the axes in the order of the operand.
PURVIEW_EXPORT Operand worked_along(const char* what, const Operand& x,
                                    std::optional<index_t> position, AxisWork work,
                                    const CutParts& given = GivenParts::slabs);

/// The result of `work` along an axis or a Dim, under the other axes and dims of `x`.
template <TensorLike X>
auto work_along(const char* what, const X& x, const ChosenAxis& axis, AxisWork work,
                const CutParts& given = GivenParts::slabs) {
    if constexpr (HasDims<X>) {
        auto bound = settled(dim_operand(x));
        std::optional<index_t> position;
        if (axis || x.rank() > 0) {
            const Axes axes{axis.value_or(AxisOrDim(-1))};
            position = dims_to_reduce(what, bound, &axes, false).axes[0];
        }
        bound.operand = worked_along(what, bound.operand, position, work, given);
        return bound;
    } else {
        return worked_along(what, x.operand(), axis, work, given);
    }
}

/// The result of `work` that allocates it, along an axis or a Dim, with elements of type `R`
/// (`void` if only the work knows the type). Throws `KindError` for a sparse `x`.
template <typename R, array_like X>
auto along_axis(const char* what, const X& x, const ChosenAxis& axis, AxisWork work,
                const CutParts& given = GivenParts::slabs) {
    if constexpr (ForeignArray<X>) {
        return along_axis<R>(what, tensor_for_call(x), axis, work, given);
    } else {
        if constexpr (HasDims<X>)
            require_not_sparse(what, dim_operand(x).operand);
        else
            require_not_sparse(what, x.operand());
        if constexpr (std::is_void_v<R> || !TypedTensor<X>)
            return AnyTensor::writable(work_along(what, x, axis, work, given));
        else if constexpr (HasDims<X> || kDefersReductions<X>)
            return ResultHandle<R, X>(work_along(what, x, axis, work, given));
        else
            return MutableTensor<R>(work_along(what, x, axis, work, given));
    }
}
/// The result of lazy `work` along an axis or a Dim, with elements of type `R`; an array is owned
/// by the result.
template <typename R, array_like X>
auto lazily_along(const char* what, X&& x, const ChosenAxis& axis, AxisWork work) {
    using Given = std::remove_cvref_t<X>;
    if constexpr (ForeignArray<X>)
        return lazily_along<R>(what, as_tensor(std::forward<X>(x)), axis, work);
    else if constexpr (std::is_void_v<R> || !TypedTensor<Given>)
        return AnyTensor(work_along(what, x, axis, work, GivenParts::at_once));
    else
        return ResultHandle<R, Given>(work_along(what, x, axis, work, GivenParts::at_once));
}

/// `require_host_reads` of a tensor's elements.
template <TensorLike X>
void require_host_reads(const char* what, const X& x) {
    if constexpr (HasDims<X>)
        require_host_reads(what, dim_operand(x).operand);
    else
        require_host_reads(what, x.operand());
}

/// Throws `DimError` naming `what` for a Dim, as the operation would change its size.
PURVIEW_EXPORT void require_positional(const char* what, const ChosenAxis& axis);

} // namespace purview
