#include "engine/contract/product_tree.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include <purview/expression/graph.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The greatest number, and the inverse of the least one, that is pulled out of a sum: within these
/// bounds, products of numbers and elements do not, in practice, overflow or vanish sooner in one
/// place than in another.
constexpr double kGreatest = 0x1p64;

const Elementwise* operation_at(const Operand& operand, DType dtype) noexcept {
    return operand.dtype() == dtype ? node_as<Elementwise>(*operand.node) : nullptr;
}

bool is_float(DType dtype) { return dtype == float32 || dtype == float64; }

/// Multiplies `scale` by a constant that can be pulled out of a sum; returns false for anything
/// else.
bool fold_into_scale(const Operand& operand, double& scale) {
    const auto* const constant = node_as<Constant>(*operand.node);
    if (constant == nullptr || !is_float(operand.dtype())) return false;
    const void* const at = constant->value();
    const double value = operand.dtype() == float32
                             ? static_cast<double>(*static_cast<const float*>(at))
                             : *static_cast<const double*>(at);
    const double product = scale * value;
    const double magnitude = std::abs(product);
    if (!(magnitude <= kGreatest && magnitude >= 1 / kGreatest)) return false;
    scale = product;
    return true;
}

} // namespace

std::optional<Shape> factor_strides(const Dimensions& view, const Dimensions& factor) {
    std::optional<Shape> result;
    if (!view.is_strided() || !factor.is_strided() || view.base() != 0) return result;
    const ShapeSpan extents = view.max_shape();
    const ShapeSpan strides = view.strides();
    const ShapeSpan product = factor.max_shape();
    const auto is_long = [](index_t extent) { return extent != 1; };
    if (std::ranges::count_if(extents, is_long) != std::ranges::count_if(product, is_long))
        return result;
    result.emplace(extents.size(), 0);
    index_t next = 1; // the stride of an axis of the product in row-major order
    for (std::size_t axis = product.size(); axis-- > 0; next *= product[axis]) {
        if (product[axis] == 1) continue;
        std::size_t at = 0;
        if (axis < extents.size() && strides[axis] == next) at = axis; // in its own place
        while (at < extents.size() && (strides[at] != next || extents[at] != product[axis])) ++at;
        if (at == extents.size()) {
            result.reset();
            return result;
        }
        (*result)[at] = factor.strides()[axis];
    }
    return result;
}

Operand seen(const Dimensions& view, const Operand& factor) {
    if (const std::optional<Shape> strides = factor_strides(view, factor.dims))
        return {factor.node, Dimensions::strided(view.max_shape(), *strides, factor.dims.base())};
    return seen_through(view, factor);
}

bool is_nested_product(const Operand& source) noexcept {
    const Elementwise* const product = operation_at(source, source.dtype());
    if (product == nullptr || !source.dtype().is_builtin()) return false;
    const bool floats = is_float(source.dtype());
    if (product->op() == Op::negative) return floats;
    if (product->op() != Op::multiply) return false;
    return std::ranges::any_of(operands_of(*product), [&](const Operand& operand) {
        if (operand.node->kind() == NodeKind::constant) return floats;
        const Elementwise* const below = operation_at(operand, source.dtype());
        return below != nullptr &&
               (below->op() == Op::multiply || (floats && below->op() == Op::negative));
    });
}

bool flatten_product(const Operand& source, ProductTree& tree) {
    const DType dtype = source.dtype();
    if (!dtype.is_builtin() || dtype == boolean) return false;
    std::vector<Operand> waiting{source};
    std::size_t visited = 0;
    while (!waiting.empty()) {
        if (++visited > 2 * kMostFactors) return false;
        const Operand operand = std::move(waiting.back());
        waiting.pop_back();
        const Elementwise* const operation = operation_at(operand, dtype);
        if (operation != nullptr && operation->op() == Op::multiply) {
            for (std::size_t i = operation->inputs().size(); i-- > 0;)
                waiting.push_back(seen(operand.dims, operation->operand(i)));
        } else if (operation != nullptr && operation->op() == Op::negative && is_float(dtype)) {
            tree.scale = -tree.scale;
            waiting.push_back(seen(operand.dims, operation->operand(0)));
        } else if (!fold_into_scale(operand, tree.scale)) {
            tree.factors.push_back(operand);
        }
    }
    return visited > 1 && tree.factors.size() <= kMostFactors;
}

Shape in_order(std::initializer_list<AxisSet> sets) {
    Shape axes;
    for (AxisSet set : sets)
        for (; set != 0; set &= set - 1) axes.push_back(std::countr_zero(set));
    return axes;
}

index_t extent_of(ShapeSpan shape, AxisSet axes) {
    index_t extent = 1;
    for (; axes != 0; axes &= axes - 1)
        extent *= shape[static_cast<std::size_t>(std::countr_zero(axes))];
    return extent;
}

Operand over_axes(const Operand& operand, ShapeSpan axes) {
    const Dimensions whole = Dimensions::row_major(operand.dims.max_shape());
    Shape extents;
    Shape strides;
    for (const index_t axis : axes) {
        extents.push_back(whole.max_shape()[static_cast<std::size_t>(axis)]);
        strides.push_back(whole.strides()[static_cast<std::size_t>(axis)]);
    }
    return seen_through(Dimensions::strided(extents, strides), operand);
}

Dimensions packed_over(ShapeSpan shape, ShapeSpan axes) {
    Shape strides(shape.size(), 0);
    index_t next = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        strides[axis] = next;
        next *= shape[axis];
    }
    return Dimensions::strided(shape, strides);
}

AxisSet axes_of(const Operand& operand) {
    AxisSet axes = 0;
    if (operand.node->kind() == NodeKind::constant) return axes;
    const ShapeSpan shape = operand.dims.max_shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1 && operand.dims.strides()[axis] != 0) axes |= AxisSet{1} << axis;
    return axes;
}

Operand scaled(const Operand& operand, double scale) {
    return visit_dtype(operand.dtype(), "sum", [&]<typename T>(std::type_identity<T>) -> Operand {
        const Operand number = constant_operand<T>(static_cast<T>(scale), operand.dims.max_shape());
        return elementwise<2>(Op::multiply, operand.dtype(), {operand, number});
    });
}

} // namespace purview::engine
