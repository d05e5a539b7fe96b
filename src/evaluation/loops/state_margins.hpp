#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

/// Round which axes margins are wanted.
enum class MarginAxes {
    none,
    last, ///< of rows that are longer than memory is fast: they begin where vectors do
    every ///< no more room than is read
};

/// How states of one shape lie in memory: in row-major order, with room around them. Elements there repeat those of the
/// other end of an axis, so that a step reads round it as it reads elsewhere.
struct StateMargins {
    Shape shape; ///< of the states
    MarginAxes axes = MarginAxes::none;
    Shape reach;   ///< elements on either side of each axis that are read; all 0: none
    Shape before;  ///< elements of memory in front of the first coordinate of each axis
    Shape extents; ///< elements of memory along each axis

    /// No room.
    explicit StateMargins(ShapeSpan of)
        : shape(of.begin(), of.end()), reach(of.size(), 0), before(of.size(), 0), extents(shape) {}
    StateMargins() = default;

    bool empty() const noexcept { return shape.empty(); }

    bool is_read(std::size_t axis) const noexcept { return axis < reach.size() && reach[axis] > 0; }
    /// The addresses of memory.
    Dimensions memory() const { return Dimensions::row_major(extents); }
    /// The address of an element of states.
    index_t address(ShapeSpan coordinates) const;
    /// That of the first one.
    index_t origin() const { return address(Shape(extents.size(), 0)); }
};

StateMargins margins_of(ShapeSpan shape, const Shape& reach, MarginAxes axes);

} // namespace purview
