#include "order/whole_lanes.hpp"

#include "distributions/axis_parts.hpp"

namespace purview::inline v0_1::mpi {
namespace {

/// The most lanes that a rank gets.
index_t greatest_share(ShapeSpan shape, ShapeSpan extents, std::size_t axis) noexcept {
    index_t share = 1;
    for (std::size_t a = 0; a < shape.size(); ++a)
        if (a != axis)
            share *= a < extents.size() ? (shape[a] + extents[a] - 1) / extents[a] : shape[a];
    return share;
}

} // namespace

index_t lanes_along(ShapeSpan shape, std::size_t axis) noexcept {
    return greatest_share(shape, {}, axis);
}

bool is_divided(const Distribution& d, std::size_t axis) noexcept {
    return d.state().axes[axis].is_divided();
}

Distribution with_whole_lanes(const Distribution& d, std::size_t axis) {
    const ShapeSpan shape = d.shape();
    Shape extents(shape.size(), -1); // along all other axes
    extents[axis] = 1;
    if (shape.size() == 1) extents[axis] = -1;
    Grid best(d.communicator(), AxisValues(extents));
    for (std::size_t a = 0; a < shape.size(); ++a) { // or along one
        if (a == axis) continue;
        extents.assign(a + 1, 1);
        extents[a] = -1;
        const Grid grid(d.communicator(), AxisValues(extents));
        if (greatest_share(shape, grid.extents(), axis) <
            greatest_share(shape, best.extents(), axis))
            best = grid;
    }
    return blocks(AxisValues(shape), best);
}

} // namespace purview
