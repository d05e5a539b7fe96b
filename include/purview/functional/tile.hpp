#pragma once

#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

namespace purview {

PURVIEW_EXPORT Operand tile_operand(const Operand& x, ShapeSpan repetitions);
PURVIEW_EXPORT Operand repeat_operand(const Operand& x, index_t count, index_t axis);
PURVIEW_EXPORT Operand roll_operand(const Operand& x, index_t shift, index_t axis);

/// `tile(x, {2, 3})`: the whole tensor again and again, as often along each axis; axes are added on the left for more
/// numbers, and fewer of them count for the last axes. A view, O(1). Throws `ShapeError` for a negative number.
struct TileFunction : PipelineStage {
    using Braces = AxisValues;

    template <TensorLike X>
    ReadOnly<X> operator()(const X& tensor, AxisValues repetitions) const {
        return view_of<ReadOnly<X>, ViewValues::tiled_extents>(
            [](const Operand& x, ShapeSpan given) { return tile_operand(x, given); }, tensor,
            repetitions);
    }
    template <TensorLike X, IndexInteger... I>
        requires(sizeof...(I) > 0)
    ReadOnly<X>
    operator()(const X& tensor, I... repetitions) const {
        return (*this)(tensor, AxisValues{repetitions...});
    }
    auto operator()(AxisValues repetitions) const { return later(*this, to_shape(repetitions)); }
};
inline constexpr AcceptingArrays<TileFunction, FirstList::is_axes> tile;

/// `repeat(x, n, axis)`: each element of an axis `n` times before the next one. A Dim becomes the first positional axis,
/// as its size changes. A view, O(1). Throws `ShapeError` for a negative number, `IndexError`.
struct RepeatFunction : PipelineStage {
    template <HasDims X>
    ReadOnly<X> operator()(const X& tensor, index_t count, const Dim& axis) const {
        return ReadOnly<X>(
            resizing_view_over_dims(tensor, view, ViewValues::axis, {axis}, std::array{count}));
    }
    template <TensorLike X>
    ReadOnly<X> operator()(const X& tensor, index_t count, AxisValue axis) const {
        return view_of<ReadOnly<X>, ViewValues::axis>(view, tensor,
                                                      std::array<index_t, 2>{axis, count});
    }
    template <AxisLike A>
    auto operator()(index_t count, const A& axis) const {
        return later(*this, count, axis);
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return repeat_operand(x, given[1], given[0]);
    }
};
inline constexpr AcceptingArrays<RepeatFunction> repeat;

/// `roll(x, shift, axis)`: the element at g goes to g + shift, around the end: `rotate` along one axis or Dim. O(1).
struct RollFunction : PipelineStage {
    template <HasDims X>
    ViewHandle<X> operator()(const X& tensor, index_t shift, const Dim& axis) const {
        return ViewHandle<X>(view_over_dims(tensor, view, {axis}, std::array{shift}));
    }
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor, index_t shift, AxisValue axis) const {
        return view_of<ViewHandle<X>, ViewValues::axis>(view, tensor,
                                                        std::array<index_t, 2>{axis, shift});
    }
    template <AxisLike A>
    auto operator()(index_t shift, const A& axis) const {
        return later(*this, shift, axis);
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return roll_operand(x, given[1], given[0]);
    }
};
inline constexpr AcceptingArrays<RollFunction> roll;

} // namespace purview
