#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/base/refused.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/array_stages.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The handle of a view that repeats elements, which makes it read-only.
template <TensorLike X>
struct ReadOnlyForm {
    using type = AnyTensor;
};
template <TypedTensor X>
struct ReadOnlyForm<X> {
    using type = ResultHandle<typename X::value_type, X, Tensor<typename X::value_type>>;
};
template <TensorLike X>
using ReadOnly = typename ReadOnlyForm<X>::type;

/// A view of dimensions/ applied to an operand: what numbers it takes, `ViewValues` says.
using ViewOperand = Operand (*)(const Operand& x, ShapeSpan values);

PURVIEW_EXPORT Operand transpose_operand(const Operand& x, ShapeSpan permutation);
PURVIEW_EXPORT Operand swap_axes_operand(const Operand& x, ShapeSpan axes);
PURVIEW_EXPORT Operand move_axis_operand(const Operand& x, ShapeSpan from_and_to);
PURVIEW_EXPORT Operand broadcast_operand(const Operand& x, ShapeSpan shape);
PURVIEW_EXPORT Operand rotate_operand(const Operand& x, ShapeSpan amounts);
PURVIEW_EXPORT Operand reshape_operand(const Operand& x, ShapeSpan shape);
PURVIEW_EXPORT Operand flip_operand(const Operand& x, ShapeSpan axes);
PURVIEW_EXPORT Operand squeeze_operand(const Operand& x, ShapeSpan axes);
PURVIEW_EXPORT Operand new_axis_operand(const Operand& x, ShapeSpan axis);
PURVIEW_EXPORT Operand diagonal_operand(const Operand& x, ShapeSpan axes_and_offset);
PURVIEW_EXPORT Operand sliding_window_operand(const Operand& x, ShapeSpan axis_window_and_step);
/// The axes of size 1.
PURVIEW_EXPORT Shape axes_of_size_one(ShapeSpan shape);
/// The axes of a tensor of this shape, in reverse order.
PURVIEW_EXPORT Shape reversed_axes(ShapeSpan shape);

/// What the numbers of a view mean. A tensor with bound dims uses it to translate numbers given for
/// its positional axes. From `axes` on, dims may be given too.
enum class ViewValues {
    permutation,
    amounts,       ///< amounts, one per axis; 0 changes nothing
    extents,       ///< extents, one per axis
    tiled_extents, ///< extents, one per axis, and more for new axes on the left
    repetitions,   ///< factors, one for each of the last axes, and more for new axes on the left
    axes,
    dropped_axes,  ///< axes; a Dim is made positional first
    axis,          ///< one axis, then other numbers
    repeated_axis, ///< one axis, whose elements are repeated, then other numbers; a Dim as above
    axis_pair,     ///< two axes, then other numbers; Dims as above
    inserted_axis  ///< one axis of the result
};
/// Whether a view repeats elements, which makes it read-only.
constexpr bool repeats_elements(ViewValues values_are) {
    return values_are == ViewValues::tiled_extents || values_are == ViewValues::repetitions ||
           values_are == ViewValues::repeated_axis;
}

/// What views are made of: a tensor or an array. (A Dim, which is a tensor too, is an axis.)
template <typename X>
concept viewable = array_like<X> && !AxisLike<std::remove_cvref_t<X>>;

/// The parameter types for one axis, and for the numbers of a view: dims are given where a tensor
/// has some.
template <typename X>
using AxisOf = std::conditional_t<HasDims<X>, AxisOrDim, AxisValue>;
template <typename X, ViewValues values_are>
using ValuesOf = std::conditional_t<HasDims<X> && values_are >= ViewValues::axes, Axes, AxisValues>;

/// The handle of a view of `X`, a tensor or an array: one that writes where the tensor does, unless
/// elements are repeated.
template <typename X, ViewValues values_are>
struct ViewForm {
    using type = ViewHandle<TensorOf<X>>;
};
template <typename X, ViewValues values_are>
    requires(repeats_elements(values_are))
struct ViewForm<X, values_are> {
    using type = ReadOnly<TensorOf<X>>;
};
template <typename X, ViewValues values_are>
using ViewOf = typename ViewForm<X, values_are>::type;

/// A view of a tensor, of one with bound dims of its positional axes, or of an array that it keeps.
/// Throws as the view does, and `DimError` naming `what` for a Dim that the tensor does not have.
template <ViewValues values_are, viewable X>
ViewOf<X, values_are> view_of(const char* what, ViewOperand view, X&& x,
                              const ValuesOf<X, values_are>& values) {
    if constexpr (ForeignArray<X>)
        return view_of<values_are>(what, view, as_tensor(std::forward<X>(x)), values);
    else if constexpr (HasDims<X>)
        return ViewOf<X, values_are>(lifted_view(what, dim_operand(x), view, values_are, values));
    else if constexpr (repeats_elements(values_are))
        return ViewOf<X, values_are>(view(x.operand(), values));
    else
        return view_handle(x, view(x.operand(), values));
}

#define PURVIEW_NO_VIEW                                                                        \
 "a tensor comes first, then integers or one list of them: reshape(x, {2, -1}), transpose(x, " \
 "1, 0), flip(x, 0); or dims that it has: flip(x(i), i)"
/// A view that takes one value per axis, or a list of axes. `all` says what it takes if nothing is
/// given.
template <ViewOperand view, ViewValues values_are, Sentence name, auto all = nullptr>
struct AxisView : RefusedKeywords, PipelineStage {
    using RefusedKeywords::operator();
    static constexpr bool kTakesDims =
        values_are == ViewValues::axes || values_are == ViewValues::dropped_axes;

    template <viewable X>
    auto operator()(X&& x, const ValuesOf<X, values_are>& values) const {
        return view_of<values_are>(name.text, view, std::forward<X>(x), values);
    }
    template <viewable X, AxisLike... A>
        requires(sizeof...(A) > 0 && ((kTakesDims && HasDims<X>) || (IndexInteger<A> && ...)))
    auto operator()(X&& x, const A&... values) const {
        if constexpr (kTakesDims && HasDims<X>)
            return (*this)(x, Axes::of(values...));
        else
            return (*this)(std::forward<X>(x), AxisValues{values...});
    }
    template <viewable X>
        requires(!std::same_as<decltype(all), std::nullptr_t> &&
                 !std::convertible_to<X, AxisValues>)
    auto operator()(X&& x) const {
        const auto& tensor = lasting_tensor(std::forward<X>(x));
        return (*this)(tensor, all(tensor.shape()));
    }

    auto operator()(AxisValues values) const { return make_stage(*this, to_shape(values)); }
    template <AxisLike... A>
        requires(sizeof...(A) > 0 && (kTakesDims || (IndexInteger<A> && ...)))
    auto operator()(const A&... values) const { return make_stage(*this, values...); }
    auto operator()() const { return *this; }

    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    /// All other calls. (A template, so that a brace list is axes or extents.)
    template <typename L = void>
    PURVIEW_REFUSED(PURVIEW_NO_VIEW, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                AnyArgument = {}, AnyArgument = {},
                                                AnyArgument = {}) const);
};
#undef PURVIEW_NO_VIEW

/// Permutes axes: axis a of the result is axis `permutation[a]`: `transpose(t, {1, 0})`,
/// `transpose(t, 1, 0)`. Without arguments, reverses their order. A view, O(1). Throws `ShapeError`
/// for a wrong number of axes, `IndexError` for an axis out of range or given twice.
inline constexpr AxisView<transpose_operand, ViewValues::permutation, "transpose", reversed_axes>
    transpose;

/// Rotates each axis: the element at g moves to `(g + amount) mod size`. One amount per axis. A
/// view, O(1). Throws `ShapeError` for a wrong number of amounts.
inline constexpr AxisView<rotate_operand, ViewValues::amounts, "rotate"> rotate;

/// The elements, in row-major order, in another shape: `reshape(t, {2, -1})` or
/// `reshape(t, 2, -1)`; one extent may be -1 and is inferred. A view: never copies, and succeeds
/// for every shape of the same size. O(1). Throws `ShapeError` for another size.
inline constexpr AxisView<reshape_operand, ViewValues::extents, "reshape"> reshape;

/// Reverses axes: `flip(t, 1)`, `flip(t, {0, 1})`, over dims `flip(t, i, 0)`; or a stage. Without
/// arguments, reverses all. A view, O(1).
inline constexpr AxisView<flip_operand, ViewValues::axes, "flip", reversed_axes> flip;

/// Drops axes of size 1: the axes given, `squeeze(t, 0)`, `squeeze(t, {0, 2})`, or all positional
/// ones; `squeeze(t, i, 0)` drops a Dim too. A view, O(1). Throws `ShapeError` for an axis of
/// another size.
inline constexpr AxisView<squeeze_operand, ViewValues::dropped_axes, "squeeze", axes_of_size_one>
    squeeze;

/// Repeats (tiles) axes up to `shape`: each extent becomes a multiple of the old one (any extent,
/// if the old one is 1), and missing axes are added on the left. A read-only view. O(1). Throws
/// `ShapeError` naming axis and sizes.
inline constexpr AxisView<broadcast_operand, ViewValues::tiled_extents, "broadcast"> broadcast;

/// A view that takes a fixed number of integers.
template <ViewOperand view, ViewValues values_are, std::size_t count>
struct IntegerView : ArrayFunction<IntegerView<view, values_are, count>> {
    using ArrayFunction<IntegerView>::operator();

    template <viewable X, IndexInteger... I>
        requires(sizeof...(I) == count)
    auto operator()(X&& x, I... values) const {
        return view_of<values_are>("", view, std::forward<X>(x), {values...});
    }
    template <IndexInteger... I>
        requires(sizeof...(I) == count)
    auto operator()(I... values) const { return make_stage(*this, values...); }
};

/// Exchanges two axes. A view, O(1). Throws `IndexError` for an axis out of range.
inline constexpr IntegerView<swap_axes_operand, ViewValues::axis_pair, 2> swap_axes;
/// Moves the axis `from` to the position `to`. A view, O(1). Throws `IndexError` for an axis out of
/// range.
inline constexpr IntegerView<move_axis_operand, ViewValues::axis_pair, 2> move_axis;
/// Inserts an axis of size 1 at a position in [-rank - 1, rank]. A view, O(1). The index argument
/// `new_axis` does the same within an indexing call.
inline constexpr IntegerView<new_axis_operand, ViewValues::inserted_axis, 1> insert_axis;

/// The diagonal of two axes: the elements whose index along `axis1` is the index along `axis0` plus
/// `offset`. Both axes, which may be dims, are dropped, and the diagonal becomes the last axis. A
/// view, O(1).
struct DiagonalFunction : ArrayFunction<DiagonalFunction> {
    using ArrayFunction::operator();

    template <viewable X>
    auto operator()(X&& x, index_t offset = 0, const AxisOf<X>& axis0 = 0,
                    const AxisOf<X>& axis1 = 1) const {
        return view_of<ViewValues::axis_pair>("diagonal", diagonal_operand, std::forward<X>(x),
                                              {axis0, axis1, offset});
    }
    template <StageNumber<index_t> N, AxisLike A = index_t, AxisLike B = index_t>
    auto operator()(const N& offset, const A& axis0 = 0, const B& axis1 = 1) const {
        return make_stage(*this, static_cast<index_t>(offset), axis0, axis1);
    }
};
inline constexpr DiagonalFunction diagonal;

/// Windows of `window` consecutive elements along an axis, every `step`-th of them: the axis
/// becomes the number of the window, and a new last axis the position in it. A Dim becomes the
/// first positional axis, as its size changes. A read-only view. O(1). Throws `ShapeError` when no
/// window fits.
struct SlidingWindowFunction : ArrayFunction<SlidingWindowFunction> {
    using ArrayFunction::operator();

    template <viewable X>
    auto operator()(X&& x, const AxisOf<X>& axis, index_t window, index_t step = 1) const {
        return view_of<ViewValues::repeated_axis>("sliding_window", sliding_window_operand,
                                                  std::forward<X>(x), {axis, window, step});
    }
    template <AxisLike A>
    auto operator()(const A& axis, index_t window, index_t step = 1) const {
        return make_stage(*this, axis, window, step);
    }
};
inline constexpr SlidingWindowFunction sliding_window;

/// Indexing as a stage: `t | select(1, all)` is the view `t(1, all)`; with an integer for every
/// axis it is a tensor of rank 0. Lists and masks are read when the stage is made.
struct SelectFunction {
    template <IndexLike... I>
    auto operator()(const I&... indexes) const {
        return Stage([indexes = std::array<TensorIndex, sizeof...(I)>{
                          TensorIndex(indexes)...}]<TensorLike X>(const X& tensor) {
            if constexpr (HasDims<X>)
                return view_handle(tensor, select_positional(tensor, indexes));
            else
                return view_handle(tensor, select_operand(tensor.operand(), indexes));
        });
    }
};
inline constexpr SelectFunction select;

} // namespace purview
