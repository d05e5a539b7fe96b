#include <purview/expression/scan.hpp>

namespace purview::inline v0_1 {

Operand scan_operand(Operand x, std::size_t axis) {
    const ShapeSpan shape = x.dims.max_shape();
    index_t inner = 1;
    for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
    const index_t length = shape[axis];
    Dimensions dims = Dimensions::row_major(shape);
    return {make_node<ScanNode>(std::move(x), length, inner), std::move(dims)};
}

} // namespace purview
