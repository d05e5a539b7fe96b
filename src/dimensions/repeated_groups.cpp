#include <purview/dimensions/repeated_groups.hpp>

namespace purview::dimensions {

Dimensions repeated_groups(ShapeSpan shape, index_t groups) {
    Shape strides(shape.size(), 0);
    // An axis is kept while the elements behind it are those of several groups.
    for (std::size_t axis = 0; groups > 1; ++axis) {
        groups /= shape[axis];
        strides[axis] = groups;
    }
    return Dimensions::strided(shape, strides);
}

} // namespace purview::dimensions
