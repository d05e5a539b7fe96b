#pragma once

#include <purview/tensor/views.hpp>

namespace purview::inline v0_1 {

PURVIEW_EXPORT Operand tile_operand(const Operand& x, ShapeSpan repetitions);
PURVIEW_EXPORT Operand repeat_operand(const Operand& x, ShapeSpan axis_and_count);
PURVIEW_EXPORT Operand roll_operand(const Operand& x, ShapeSpan axis_and_shift);
PURVIEW_EXPORT Operand rot90_operand(const Operand& x, ShapeSpan axes_and_turns);
/// The amounts by which `roll` rotates each axis, from shifts along given axes, or one shift along
/// all of them. Throws `ShapeError`, `IndexError`.
PURVIEW_EXPORT Shape roll_amounts(int rank, ShapeSpan shifts, ShapeSpan axes);

/// `tile(x, {2, 3})`: repeats the whole tensor the given number of times along each axis. More
/// numbers than axes add axes on the left; fewer numbers apply to the last axes. A view, O(1).
/// Throws `ShapeError` for a negative number.
inline constexpr AxisView<tile_operand, ViewValues::repetitions, "tile"> tile;

/// `repeat(x, n, axis)`: repeats each element of an axis `n` times before the next one. A Dim
/// becomes the first positional axis, as its size changes. Without an axis, repeats each of all
/// elements in row-major order. A view, O(1). Throws `ShapeError` for a negative number,
/// `IndexError`.
struct RepeatFunction : ArrayFunction<RepeatFunction> {
    using ArrayFunction::operator();

    template <viewable X>
    auto operator()(X&& x, index_t count) const {
        return (*this)(reshape(std::forward<X>(x), {-1}), count, 0);
    }
    template <viewable X>
    auto operator()(X&& x, index_t count, const AxisOf<X>& axis) const {
        return view_of<ViewValues::repeated_axis>("repeat", repeat_operand, std::forward<X>(x),
                                                  {axis, count});
    }
    template <StageNumber<index_t> N, AxisLike A>
    auto operator()(const N& count, const A& axis) const {
        return make_stage(*this, static_cast<index_t>(count), axis);
    }
};
inline constexpr RepeatFunction repeat;

/// `roll(x, shift, axis)`: the element at g moves to (g + shift) mod size: `rotate` along one axis
/// or Dim. Along several, `roll(x, {1, -2}, {0, 1})`, `roll(x, 1, {0, 1})`; shifts along an axis
/// that is given twice add up. Without an axis, all axes are rotated as one, in row-major order. A
/// view, O(1). Throws `IndexError`, `ShapeError` if the numbers of shifts and axes differ.
struct RollFunction : ArrayFunction<RollFunction> {
    using ArrayFunction::operator();

    template <viewable X>
    auto operator()(X&& x, index_t shift) const {
        const auto& tensor = lasting_tensor(std::forward<X>(x));
        return reshape((*this)(reshape(tensor, {-1}), shift, 0), tensor.shape());
    }
    template <viewable X, AxisLike A>
        requires(std::convertible_to<const A&, AxisOf<X>>)
    auto operator()(X&& x, index_t shift, const A& axis) const {
        return view_of<ViewValues::axis>("roll", roll_operand, std::forward<X>(x), {axis, shift});
    }
    template <viewable X>
    auto operator()(X&& x, AxisValues shifts, AxisValues axes) const {
        const auto& tensor = lasting_tensor(std::forward<X>(x));
        return rotate(tensor, roll_amounts(tensor.rank(), shifts, axes));
    }
    template <viewable X>
    auto operator()(X&& x, index_t shift, AxisValues axes) const {
        return (*this)(std::forward<X>(x), AxisValues{shift}, axes);
    }
    template <StageNumber<index_t> N, AxisLike A>
    auto operator()(const N& shift, const A& axis) const {
        return make_stage(*this, static_cast<index_t>(shift), axis);
    }
    auto operator()(AxisValues shifts, AxisValues axes) const {
        return make_stage(*this, to_shape(shifts), to_shape(axes));
    }
    auto operator()(index_t shift, AxisValues axes) const {
        return (*this)(AxisValues{shift}, axes);
    }
};
inline constexpr RollFunction roll;

/// `rot90(x)`, `rot90(x, turns)`, `rot90(x, turns, {axis0, axis1})`, or a stage: rotates the plane
/// of two axes by `turns` right angles, from the first axis towards the second: a matrix
/// anticlockwise; negative turns go the other way. As in NumPy. A view, O(1), which writes through
/// where `x` can be written. Throws `IndexError` for axes that are equal or out of range,
/// `ShapeError` unless two are given.
struct Rot90Function : ArrayFunction<Rot90Function> {
    using ArrayFunction::operator();

    template <viewable X>
    auto operator()(X&& x, index_t turns = 1, AxisValues axes = {0, 1}) const {
        require_two(axes);
        return view_of<ViewValues::axis_pair>("rot90", rot90_operand, std::forward<X>(x),
                                              {axes[0], axes[1], turns});
    }
    auto operator()(index_t turns, AxisValues axes = {0, 1}) const {
        return make_stage(*this, turns, to_shape(axes));
    }

private:
    PURVIEW_EXPORT static void require_two(ShapeSpan axes);
};
inline constexpr Rot90Function rot90;

} // namespace purview
