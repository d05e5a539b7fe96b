#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/named/order.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

/// Records which axes of the operand have been taken, and in which order.
class TakenAxes {
public:
    TakenAxes(const DimOperand& x, const char* what) : x_(x), what_(what) {}

    void take(const Dim& dim) {
        const index_t at = position_of(dim, x_.dims);
        if (at < 0)
            throw DimError(fmt::format("{}: the tensor has no Dim '{}', its dims are {}", what_,
                                       dim.name(), to_string(x_.dims)));
        if (has(at)) throw DimError(fmt::format("{}: Dim '{}' is given twice", what_, dim.name()));
        add(at);
    }
    void take(index_t axis) {
        const index_t at = x_.dim_count() + checked_axis(axis, rank_of(x_), what_);
        if (has(at)) throw IndexError(fmt::format("{}: axis {} is given twice", what_, axis));
        add(at);
    }

    bool has(index_t axis) const { return (taken_ >> axis & 1) != 0; }
    const Shape& order() const noexcept { return order_; }

private:
    void add(index_t at) {
        taken_ |= std::uint64_t{1} << at;
        order_.push_back(at);
    }

    const DimOperand& x_;
    const char* what_;
    static_assert(kMaxRank <= 64);
    std::uint64_t taken_ = 0;
    Shape order_;
};

bool are_first_in_order(const Shape& order) {
    for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i] != static_cast<index_t>(i)) return false;
    return true;
}

} // namespace

std::vector<OrderedAxis> ordered_axes(const Axes& axes) {
    std::vector<OrderedAxis> list;
    for (const AxisOrDim& entry : axes)
        list.push_back(entry.dim ? OrderedAxis(*entry.dim) : OrderedAxis(entry.axis));
    return list;
}

DimOperand order_dims(const DimOperand& given, std::span<const Dim> dims, const char* what) {
    if (given.is_deferred()) return order_dims(settled(given), dims, what);
    TakenAxes taken(given, what);
    for (const Dim& dim : dims) taken.take(dim);
    Shape permutation;
    DimVector left;
    if (dims.size() < given.dims.size())
        for (index_t axis = 0; axis < given.dim_count(); ++axis)
            if (!taken.has(axis)) {
                left.push_back(given.dims[static_cast<std::size_t>(axis)]);
                permutation.push_back(axis);
            }
    if (left.empty() && are_first_in_order(taken.order())) return {given.operand, {}};
    permutation.insert(permutation.end(), taken.order().begin(), taken.order().end());
    for (index_t axis = given.dim_count(); axis < given.operand.dims.rank(); ++axis)
        permutation.push_back(axis);
    return {{given.operand.node, dimensions::transpose(given.operand.dims, permutation)},
            std::move(left)};
}

DimOperand order_dims(const DimOperand& given, std::span<const OrderedAxis> axes,
                      const char* what) {
    DimOperand x = settled(given);
    TakenAxes taken(x, what);
    Shape extents; // the extents of the new axes
    bool joined = false;
    const auto take = [&](const auto& axis) {
        taken.take(axis);
        return x.operand.dims.max_shape()[static_cast<std::size_t>(taken.order().back())];
    };
    for (const OrderedAxis& axis : axes) {
        if (axis.list) {
            for (const Dim& each : axis.list->dims()) extents.push_back(take(each));
            continue;
        }
        joined = joined || axis.merged.end() - axis.merged.begin() != 1;
        index_t extent = 1;
        for (const AxisOrDim& part : axis.merged)
            extent = checked_multiply(extent, part.dim ? take(*part.dim) : take(part.axis), what);
        extents.push_back(extent);
    }

    DimVector left;
    Shape permutation;
    Shape shape;
    const ShapeSpan old = x.operand.dims.max_shape();
    for (index_t axis = 0; axis < x.dim_count(); ++axis) {
        if (taken.has(axis)) continue;
        left.push_back(x.dims[static_cast<std::size_t>(axis)]);
        permutation.push_back(axis);
        shape.push_back(old[static_cast<std::size_t>(axis)]);
    }
    permutation.insert(permutation.end(), taken.order().begin(), taken.order().end());
    shape.insert(shape.end(), extents.begin(), extents.end());
    for (index_t axis = x.dim_count(); axis < x.operand.dims.rank(); ++axis) {
        if (taken.has(axis)) continue;
        permutation.push_back(axis);
        shape.push_back(old[static_cast<std::size_t>(axis)]);
    }
    if (!std::ranges::is_sorted(permutation))
        x.operand.dims = dimensions::transpose(x.operand.dims, permutation);
    if (joined) x.operand.dims = dimensions::reshape(x.operand.dims, shape);
    return {std::move(x.operand), std::move(left)};
}

} // namespace purview
