#include <purview/expression/scatter.hpp>

namespace purview::inline v0_1 {

Operand scatter_operand(Operand values, std::span<const Operand> indexes, ScatterPlace place) {
    const Dimensions line = Dimensions::row_major(ShapeSpan(&place.size, 1));
    std::vector<Operand> operands{std::move(values)};
    operands.insert(operands.end(), indexes.begin(), indexes.end());
    return {make_node<Scatter>(std::move(operands), std::move(place)), line};
}

} // namespace purview
