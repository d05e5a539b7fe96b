#include <purview/named/index.hpp>
#include <purview/named/unbind.hpp>

namespace purview::inline v0_1 {

std::vector<DimOperand> unbind_operand(const DimOperand& x, const AxisOrDim& axis) {
    const DimOperand first = joined_first("unbind", x, {axis});
    const index_t extent = first.operand.dims.max_shape()[first.dims.size()];
    std::vector<DimOperand> views;
    for (index_t n = 0; n < extent; ++n) {
        const DimIndex index = TensorIndex(n);
        views.push_back(index_with_dims(first, {&index, 1}, {}, "unbind"));
    }
    return views;
}

} // namespace purview
