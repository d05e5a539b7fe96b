#include <purview/dimensions/repeated_groups.hpp>

namespace purview::inline v0_1::dimensions {

Dimensions repeated_groups(ShapeSpan shape, index_t groups) {
    Shape strides(shape.size(), 0);
    // An axis gets a stride as long as the elements after it belong to several groups.
    for (std::size_t axis = 0; groups > 1; ++axis) {
        groups /= shape[axis];
        strides[axis] = groups;
    }
    return Dimensions::strided(shape, strides);
}

} // namespace purview::dimensions
