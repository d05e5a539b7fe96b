#include <purview/base/checked.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include <vector>

namespace purview {

DimOperand joined_first(const DimOperand& x, const Axes& axes) {
    std::vector<OrderedAxis> places;
    for (const AxisOrDim& entry : axes)
        if (entry.dim)
            places.emplace_back(*entry.dim);
        else
            places.emplace_back(entry.axis);
    const DimOperand ordered = order_dims(x, std::span<const OrderedAxis>(places));
    if (places.size() == 1) return ordered;
    const ShapeSpan old = ordered.operand.dims.max_shape().subspan(ordered.dims.size());
    Shape shape{checked_size(old.first(places.size()), "index")};
    shape.insert(shape.end(), old.begin() + static_cast<std::ptrdiff_t>(places.size()), old.end());
    return lifted_view(ordered, &reshape_operand, ViewValues::extents, shape);
}

} // namespace purview
