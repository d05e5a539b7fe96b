#include <purview/dimensions/reshape.hpp>
#include <purview/functional/along/with_index.hpp>

namespace purview::inline v0_1 {

Operand elements_at(const ReducedView& view, const Operand& indexes) {
    const index_t size = view.operand.dims.size();
    const index_t group = view.groups > 0 ? size / view.groups : 0;
    const index_t matrix[] = {view.groups, group};
    const index_t column[] = {view.groups, 1};
    const Operand groups{view.operand.node, dimensions::reshape(view.operand.dims, matrix)};
    const Operand at{indexes.node, dimensions::reshape(indexes.dims, column)};
    Operand values = take_along_axis_operand(groups, at, 1);
    values.dims = dimensions::reshape(values.dims, view.shape);
    return values;
}

} // namespace purview
