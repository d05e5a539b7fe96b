#pragma once

#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/views.hpp>

#include <array>

namespace purview {

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
