#pragma once

#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

#include <array>

namespace purview {

PURVIEW_EXPORT Operand tile_operand(const Operand& x, ShapeSpan repetitions);
PURVIEW_EXPORT Operand repeat_operand(const Operand& x, index_t count, index_t axis);
PURVIEW_EXPORT Operand roll_operand(const Operand& x, index_t shift, index_t axis);
/// The amounts by which `roll` rotates each axis, from shifts along given axes, or one shift along
/// all of them. Throws `ShapeError`, `IndexError`.
PURVIEW_EXPORT Shape roll_amounts(int rank, ShapeSpan shifts, ShapeSpan axes);

/// `tile(x, {2, 3})`: repeats the whole tensor the given number of times along each axis. More
/// numbers than axes add axes on the left; fewer numbers apply to the last axes. A view, O(1).
/// Throws `ShapeError` for a negative number.
struct TilingFunction : PipelineStage {
    using Braces = AxisValues;

    template <TensorLike X>
    ReadOnly<X> operator()(const X& tensor, AxisValues repetitions) const {
        return read_only_view_of<ViewValues::repetitions>(
            [](const Operand& x, ShapeSpan given) { return tile_operand(x, given); }, tensor,
            repetitions);
    }
    template <TensorLike X, IndexInteger... I>
        requires(sizeof...(I) > 0)
    ReadOnly<X>
    operator()(const X& tensor, I... repetitions) const {
        return (*this)(tensor, AxisValues{repetitions...});
    }
    auto operator()(AxisValues repetitions) const {
        return make_stage(*this, to_shape(repetitions));
    }
};
inline constexpr AcceptingArrays<TilingFunction, FirstList::is_axes> tile;

/// `repeat(x, n, axis)`: repeats each element of an axis `n` times before the next one. A Dim
/// becomes the first positional axis, as its size changes. Without an axis, repeats each of all
/// elements in row-major order. A view, O(1). Throws `ShapeError` for a negative number,
/// `IndexError`.
struct RepeatFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& tensor, index_t count) const {
        return (*this)(reshape(tensor, {-1}), count, 0);
    }
    template <HasDims X>
    ReadOnly<X> operator()(const X& tensor, index_t count, const Dim& axis) const {
        return ReadOnly<X>(resizing_view_over_dims("repeat", tensor, view, ViewValues::axis, {axis},
                                                   std::array{count}));
    }
    template <TensorLike X>
    ReadOnly<X> operator()(const X& tensor, index_t count, AxisValue axis) const {
        return read_only_view_of<ViewValues::axis>(view, tensor,
                                                   std::array<index_t, 2>{axis, count});
    }
    template <StageNumber<index_t> N, AxisLike A>
    auto operator()(const N& count, const A& axis) const {
        return make_stage(*this, static_cast<index_t>(count), axis);
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return repeat_operand(x, given[1], given[0]);
    }
};
inline constexpr AcceptingArrays<RepeatFunction> repeat;

/// `roll(x, shift, axis)`: the element at g moves to (g + shift) mod size: `rotate` along one axis
/// or Dim. Along several, `roll(x, {1, -2}, {0, 1})`, `roll(x, 1, {0, 1})`; shifts along an axis
/// that is given twice add up. Without an axis, all axes are rotated as one, in row-major order. A
/// view, O(1). Throws `IndexError`, `ShapeError` if the numbers of shifts and axes differ.
struct RollFunction : PipelineStage {
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor, index_t shift) const {
        return reshape((*this)(reshape(tensor, {-1}), shift, 0), tensor.shape());
    }
    template <HasDims X>
    ViewHandle<X> operator()(const X& tensor, index_t shift, const Dim& axis) const {
        return ViewHandle<X>(view_over_dims("roll", tensor, view, {axis}, std::array{shift}));
    }
    template <TensorLike X, ElementIndex A>
    ViewHandle<X> operator()(const X& tensor, index_t shift, A axis) const {
        return view_of<ViewValues::axis>(view, tensor, std::array{to_index(axis), shift});
    }
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor, AxisValues shifts, AxisValues axes) const {
        return rotate(tensor, roll_amounts(tensor.rank(), shifts, axes));
    }
    template <TensorLike X>
    ViewHandle<X> operator()(const X& tensor, index_t shift, AxisValues axes) const {
        return (*this)(tensor, ShapeSpan(&shift, 1), axes);
    }
    template <StageNumber<index_t> N, AxisLike A>
    auto operator()(const N& shift, const A& axis) const {
        return make_stage(*this, static_cast<index_t>(shift), axis);
    }
    auto operator()(AxisValues shifts, AxisValues axes) const {
        return make_stage(*this, to_shape(shifts), to_shape(axes));
    }
    auto operator()(index_t shift, AxisValues axes) const {
        return make_stage(*this, shift, to_shape(axes));
    }

private:
    static Operand view(const Operand& x, ShapeSpan given) {
        return roll_operand(x, given[1], given[0]);
    }
};
inline constexpr AcceptingArrays<RollFunction> roll;

PURVIEW_EXPORT Operand rot90_operand(const Operand& x, index_t axis0, index_t axis1, index_t turns);

/// `rot90(x)`, `rot90(x, turns)`, `rot90(x, turns, {axis0, axis1})`, or a stage: rotates the plane
/// of two axes by `turns` right angles, from the first axis towards the second: a matrix
/// anticlockwise; negative turns go the other way. As in NumPy. A view, O(1), which writes through
/// where `x` can be written. Throws `IndexError` for axes that are equal or out of range,
/// `ShapeError` unless two are given.
struct Rot90Function : PipelineStage {
    template <TensorLike X>
        requires(!AxisLike<X>)
    ViewHandle<X>
    operator()(const X& x, index_t turns = 1, AxisValues axes = {0, 1}) const {
        require_two(axes);
        return view_of<ViewValues::axis_pair>(
            [](const Operand& operand, ShapeSpan given) {
                return rot90_operand(operand, given[0], given[1], given[2]);
            },
            x, std::array{axes[0], axes[1], turns});
    }
    auto operator()(index_t turns) const { return make_stage(*this, turns); }
    auto operator()(index_t turns, AxisValues axes) const {
        return make_stage(*this, turns, to_shape(axes));
    }

private:
    PURVIEW_EXPORT static void require_two(ShapeSpan axes);
};
inline constexpr AcceptingArrays<Rot90Function> rot90;

} // namespace purview
