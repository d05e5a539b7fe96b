#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace purview {

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

/// The views of dimensions/ applied to an operand.
PURVIEW_EXPORT Operand transpose_operand(const Operand& x, ShapeSpan permutation);
PURVIEW_EXPORT Operand swap_axes_operand(const Operand& x, index_t axis0, index_t axis1);
PURVIEW_EXPORT Operand move_axis_operand(const Operand& x, index_t from, index_t to);
PURVIEW_EXPORT Operand broadcast_operand(const Operand& x, ShapeSpan shape);
PURVIEW_EXPORT Operand rotate_operand(const Operand& x, ShapeSpan amounts);
PURVIEW_EXPORT Operand reshape_operand(const Operand& x, ShapeSpan shape);
PURVIEW_EXPORT Operand flip_operand(const Operand& x, ShapeSpan axes);
PURVIEW_EXPORT Operand squeeze_operand(const Operand& x, ShapeSpan axes);
PURVIEW_EXPORT Operand squeeze_all_operand(const Operand& x);
PURVIEW_EXPORT Operand new_axis_operand(const Operand& x, index_t axis);
PURVIEW_EXPORT Operand diagonal_operand(const Operand& x, index_t axis0, index_t axis1,
                                        index_t offset);
PURVIEW_EXPORT Operand sliding_window_operand(const Operand& x, index_t axis, index_t window,
                                              index_t step);
/// The axes of size 1.
PURVIEW_EXPORT Shape axes_of_size_one(ShapeSpan shape);
/// The axes of a tensor of this rank, in reverse order.
PURVIEW_EXPORT Shape reversed_axes(int rank);

/// What the integers of a view mean. A tensor with bound dims uses it to translate integers given
/// for its positional axes.
enum class ViewValues {
    permutation,
    amounts,       ///< amounts, one per axis; 0 changes nothing
    extents,       ///< extents, one per axis
    tiled_extents, ///< extents, one per axis, and more for new axes on the left
    repetitions,   ///< factors, one for each of the last axes, and more for new axes on the left
    axes,
    axis,         ///< one axis, then other numbers
    axis_pair,    ///< two axes, then other numbers
    inserted_axis ///< one axis of the result
};

/// The operand of a view of a tensor; if it has bound dims, of its positional axes.
template <ViewValues values_are, typename View, TensorLike X>
auto viewed(const View& view, const X& tensor, ShapeSpan values) {
    if constexpr (HasDims<X>)
        return lifted_view(tensor, view, values_are, values);
    else
        return view(tensor.operand(), values);
}
/// A view that stays writable where the tensor is.
template <ViewValues values_are, typename View, TensorLike X>
ViewHandle<X> view_of(const View& view, const X& tensor, ShapeSpan values) {
    return view_handle(tensor, viewed<values_are>(view, tensor, values));
}
/// A read-only view.
template <ViewValues values_are, typename View, TensorLike X>
ReadOnly<X> read_only_view_of(const View& view, const X& tensor, ShapeSpan values) {
    return ReadOnly<X>(viewed<values_are>(view, tensor, values));
}

/// Whether all numbers that a view takes are for positional axes. Where they name axes, a tensor
/// with dims takes dims as well.
template <typename X, ViewValues values_are>
concept ByPosition = values_are != ViewValues::axes || !HasDims<X>;

#define PURVIEW_NO_VIEW                                                                        \
 "a tensor comes first, then integers or one list of them: reshape(x, {2, -1}), transpose(x, " \
 "1, 0), flip(x, 0); or dims that it has: flip(x(i), i)"
/// A function object for a view that takes one value per axis and stays writable where the tensor
/// is.
template <Operand (*view)(const Operand&, ShapeSpan), ViewValues values_are>
struct AxisView : PipelineStage {
    using Braces = AxisValues;

    template <TensorLike X>
        requires ByPosition<X, values_are> ViewHandle<X>
    operator()(const X& tensor, AxisValues values) const {
        return view_of<values_are>(view, tensor, values);
    }
    template <TensorLike X, IndexInteger... I>
        requires(sizeof...(I) > 0 && ByPosition<X, values_are>)
    ViewHandle<X>
    operator()(const X& tensor, I... values) const {
        return (*this)(tensor, AxisValues{values...});
    }
    auto operator()(AxisValues values) const { return make_stage(*this, to_shape(values)); }
    template <IndexInteger... I>
        requires(sizeof...(I) > 0 && values_are != ViewValues::axes)
    auto operator()(I... values) const { return (*this)(AxisValues{values...}); }

    /// All other calls. (A template, so that a brace list is axes or extents.)
    static constexpr bool kRefusesOthers = true;
    template <typename L = void>
    PURVIEW_REFUSED(PURVIEW_NO_VIEW, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                AnyArgument = {}, AnyArgument = {},
                                                AnyArgument = {}) const);
};
#undef PURVIEW_NO_VIEW

/// Permutes axes: axis a of the result is axis `permutation[a]`: `transpose(t, {1, 0})`,
/// `transpose(t, 1, 0)`. Without arguments, reverses their order. A view, O(1). Throws `ShapeError`
/// for a wrong number of axes, `IndexError` for an axis out of range or given twice.
struct TransposeFunction : AxisView<transpose_operand, ViewValues::permutation> {
    using AxisView::operator();
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor) const {
        return (*this)(tensor, reversed_axes(tensor.rank()));
    }
};
inline constexpr AcceptingArrays<TransposeFunction, FirstList::is_axes> transpose;

/// Rotates each axis: the element at g moves to `(g + amount) mod size`. One amount per axis. A
/// view, O(1). Throws `ShapeError` for a wrong number of amounts.
inline constexpr AcceptingArrays<AxisView<rotate_operand, ViewValues::amounts>, FirstList::is_axes>
    rotate;

/// The same elements, in row-major order, in another shape: `reshape(t, {2, -1})` or
/// `reshape(t, 2, -1)`; one extent may be -1 and is inferred. A view: never copies, and succeeds
/// for every shape of the same size. O(1). Throws `ShapeError` for another size.
inline constexpr AcceptingArrays<AxisView<reshape_operand, ViewValues::extents>, FirstList::is_axes>
    reshape;

/// Reverses axes: `flip(t, 1)`, `flip(t, {0, 1})`, over dims `flip(t, i, 0)`; or a stage. Without
/// arguments, reverses all. A view, O(1).
struct FlipFunction : AxisView<flip_operand, ViewValues::axes> {
    using AxisView::operator();
    template <TensorLike X>
        requires(!AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor) const { return (*this)(tensor, reversed_axes(tensor.rank())); }
    template <HasDims X, AxisLike... A>
        requires(sizeof...(A) > 0 && !AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor, const A&... axes) const {
        Axes list;
        (list.add(axes), ...);
        return (*this)(tensor, list);
    }
    template <HasDims X>
        requires(!AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor, const Axes& axes) const {
        return ViewHandle<X>(view_over_dims("flip", tensor, flip_operand, axes));
    }
    auto operator()(AxisValues axes) const { return make_stage(*this, to_shape(axes)); }
    template <AxisLike... A>
        requires(sizeof...(A) > 0)
    auto operator()(const A&... axes) const { return make_stage(*this, axes...); }
};
inline constexpr AcceptingArrays<FlipFunction, FirstList::is_axes> flip;

/// Drops axes of size 1: the axes given, `squeeze(t, 0)`, `squeeze(t, {0, 2})`, or all positional
/// ones; `squeeze(t, i, 0)` drops a Dim too. A view, O(1). Throws `ShapeError` for an axis of
/// another size.
struct SqueezeFunction : AxisView<squeeze_operand, ViewValues::axes> {
    using AxisView::operator();
    template <HasDims X, AxisLike... A>
        requires(sizeof...(A) > 0 && !AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor, const A&... axes) const {
        Axes list;
        (list.add(axes), ...);
        return (*this)(tensor, list);
    }
    template <HasDims X>
        requires(!AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor, const Axes& axes) const {
        return ViewHandle<X>(
            resizing_view_over_dims("squeeze", tensor, squeeze_operand, ViewValues::axes, axes));
    }
    auto operator()(AxisValues axes) const { return make_stage(*this, to_shape(axes)); }
    template <AxisLike... A>
        requires(sizeof...(A) > 0)
    auto operator()(const A&... axes) const { return make_stage(*this, axes...); }
    template <TensorLike X>
        requires(!AxisLike<X>)
    ViewHandle<X>
    operator()(const X& tensor) const {
        if constexpr (HasDims<X>)
            return (*this)(tensor, axes_of_size_one(tensor.shape()));
        else
            return view_handle(tensor, squeeze_all_operand(tensor.operand()));
    }
};
inline constexpr AcceptingArrays<SqueezeFunction, FirstList::is_axes> squeeze;

/// Repeats (tiles) axes up to `shape`: each extent becomes a multiple of the old one (any extent,
/// if the old one is 1), and missing axes are added on the left. A read-only view. O(1). Throws
/// `ShapeError` naming axis and sizes.
struct BroadcastFunction : PipelineStage {
    using Braces = AxisValues;

    template <TensorLike X>
    ReadOnly<X> operator()(const X& tensor, AxisValues shape) const {
        return read_only_view_of<ViewValues::tiled_extents>(broadcast_operand, tensor, shape);
    }
    template <TensorLike X, IndexInteger... I>
        requires(sizeof...(I) > 0)
    ReadOnly<X>
    operator()(const X& tensor, I... extents) const {
        return (*this)(tensor, AxisValues{extents...});
    }
    auto operator()(AxisValues shape) const { return make_stage(*this, to_shape(shape)); }
};
inline constexpr AcceptingArrays<BroadcastFunction, FirstList::is_axes> broadcast;

/// A function object for a view that takes a fixed number of integers.
template <auto view, ViewValues values_are>
struct IntegerView : PipelineStage {
    template <TensorLike X, IndexInteger... I>
        requires std::invocable<decltype(view), const Operand&, I...> ViewHandle<X>
    operator()(const X& tensor, I... values) const {
        if constexpr (HasDims<X>)
            return view_of<values_are>(
                [](const Operand& x, ShapeSpan given) {
                    return [&]<std::size_t... N>(std::index_sequence<N...>) {
                        return view(x, given[N]...);
                    }
                    (std::make_index_sequence<sizeof...(I)>{});
                },
                tensor, Shape{static_cast<index_t>(values)...});
        else
            return view_handle(tensor, view(tensor.operand(), values...));
    }
    template <IndexInteger... I>
        requires(std::invocable<decltype(view), const Operand&, I...>)
    auto operator()(I... values) const { return make_stage(*this, values...); }
};

/// Exchanges two axes. A view, O(1). Throws `IndexError` for an axis out of range.
inline constexpr AcceptingArrays<IntegerView<swap_axes_operand, ViewValues::axis_pair>> swap_axes;
/// Moves the axis `from` to the position `to`. A view, O(1). Throws `IndexError` for an axis out of
/// range.
inline constexpr AcceptingArrays<IntegerView<move_axis_operand, ViewValues::axis_pair>> move_axis;
/// Inserts an axis of size 1 at a position in [-rank - 1, rank]. A view, O(1). The index argument
/// `new_axis` does the same within an indexing call.
inline constexpr AcceptingArrays<IntegerView<new_axis_operand, ViewValues::inserted_axis>>
    insert_axis;

/// The diagonal of two axes: the elements whose index along `axis1` is the index along `axis0` plus
/// `offset`. Both axes, which may be dims, are dropped, and the diagonal becomes the last axis. A
/// view, O(1).
struct DiagonalFunction : PipelineStage {
    template <HasDims X, AxisLike A, AxisLike B>
        requires(std::same_as<A, Dim> || std::same_as<B, Dim>)
    ViewHandle<X>
    operator()(const X& tensor, index_t offset, const A& axis0, const B& axis1) const {
        return ViewHandle<X>(resizing_view_over_dims(
            "diagonal", tensor, view, ViewValues::axis_pair, {axis0, axis1}, std::array{offset}));
    }
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor, index_t offset = 0, index_t axis0 = 0,
                             index_t axis1 = 1) const {
        return view_of<ViewValues::axis_pair>(view, tensor, std::array{axis0, axis1, offset});
    }
    template <StageNumber<index_t> N, AxisLike A = index_t, AxisLike B = index_t>
    auto operator()(const N& offset, const A& axis0 = 0, const B& axis1 = 1) const {
        return make_stage(*this, static_cast<index_t>(offset), axis0, axis1);
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return diagonal_operand(x, given[0], given[1], given[2]);
    }
};
inline constexpr AcceptingArrays<DiagonalFunction> diagonal;

/// Windows of `window` consecutive elements along an axis, every `step`-th of them: the axis
/// becomes the number of the window, and a new last axis the position in it. A Dim becomes the
/// first positional axis, as its size changes. A read-only view. O(1). Throws `ShapeError` when no
/// window fits.
struct SlidingWindowFunction : PipelineStage {
    template <HasDims X>
    ReadOnly<X> operator()(const X& tensor, const Dim& axis, index_t window,
                           index_t step = 1) const {
        return ReadOnly<X>(resizing_view_over_dims("sliding_window", tensor, view, ViewValues::axis,
                                                   {axis}, std::array{window, step}));
    }
    template <TensorLike X>
        requires(!AxisLike<X>)
    ReadOnly<X>
    operator()(const X& tensor, index_t axis, index_t window, index_t step = 1) const {
        return read_only_view_of<ViewValues::axis>(view, tensor, std::array{axis, window, step});
    }
    template <AxisLike A>
    auto operator()(const A& axis, index_t window, index_t step = 1) const {
        return make_stage(*this, axis, window, step);
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return sliding_window_operand(x, given[0], given[1], given[2]);
    }
};
inline constexpr AcceptingArrays<SlidingWindowFunction> sliding_window;

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
