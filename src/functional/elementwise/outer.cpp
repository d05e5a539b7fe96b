#include <purview/base/checked.hpp>
#include <purview/functional/elementwise/outer.hpp>

#include <algorithm>

namespace purview::inline v0_1 {

KroneckerShapes kronecker_shapes(ShapeSpan x, ShapeSpan y) {
    const std::size_t rank = std::max(x.size(), y.size());
    const auto extent_of = [&](ShapeSpan shape, std::size_t axis) {
        const std::size_t added = rank - shape.size();
        return axis < added ? index_t{1} : shape[axis - added];
    };
    KroneckerShapes shapes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const index_t blocks = extent_of(x, axis);
        const index_t inside = extent_of(y, axis);
        shapes.x.push_back(blocks);
        shapes.x.push_back(1);
        shapes.y.push_back(1);
        shapes.y.push_back(inside);
        shapes.result.push_back(checked_multiply(blocks, inside, "kron"));
    }
    return shapes;
}

} // namespace purview
