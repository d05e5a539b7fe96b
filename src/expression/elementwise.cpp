#include "expression/constants.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/elementwise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace purview {
namespace {

bool same_shape(const Operand& x, const Operand& y) {
    return std::ranges::equal(x.dims.max_shape(), y.dims.max_shape());
}

} // namespace

BlockFunction::~BlockFunction() = default;

std::string_view name_of(Op op) noexcept {
    switch (op) {
    case Op::cast: return "cast";
    case Op::wrapping_cast: return "unchecked_cast";
    case Op::negative: return "negative";
    case Op::absolute: return "abs";
    case Op::square_root: return "sqrt";
    case Op::square: return "sq";
    case Op::logical_not: return "logical_not";
    case Op::add: return "add";
    case Op::subtract: return "subtract";
    case Op::multiply: return "multiply";
    case Op::divide: return "divide";
    case Op::remainder: return "remainder";
    case Op::minimum: return "minimum";
    case Op::maximum: return "maximum";
    case Op::equal: return "equal";
    case Op::not_equal: return "not_equal";
    case Op::less: return "less";
    case Op::less_equal: return "less_equal";
    case Op::greater: return "greater";
    case Op::greater_equal: return "greater_equal";
    case Op::logical_and: return "logical_and";
    case Op::logical_or: return "logical_or";
    case Op::choose: return "where";
    case Op::map: return "emap";
    }
    std::unreachable();
}

Operand cast_operand(Operand x, DType dtype, Op cast) {
    if (x.dtype() == dtype) return x;
    if (!x.dtype().is_builtin() || !dtype.is_builtin())
        throw_dtype_mismatch("cast", dtype, x.dtype());
    return folded(elementwise<1>(cast, dtype, {std::move(x)}));
}

Operand unary_operand(Op op, Operand x, DType result) {
    return folded(elementwise<1>(op, result, {std::move(x)}));
}

Operand binary_operand(Op op, Operand x, Operand y, DType compute, DType result) {
    std::array<Operand, 2> operands{cast_operand(std::move(x), compute, Op::cast),
                                    cast_operand(std::move(y), compute, Op::cast)};
    if (!same_shape(operands[0], operands[1])) broadcast_operands(operands, name_of(op).data());
    multiply_if_exact(op, operands[1]);
    return folded(elementwise<2>(op, result, std::move(operands)));
}

Operand choose_operand(Operand condition, Operand x, Operand y, DType result) {
    std::array<Operand, 3> operands{std::move(condition),
                                    cast_operand(std::move(x), result, Op::cast),
                                    cast_operand(std::move(y), result, Op::cast)};
    broadcast_operands(operands, name_of(Op::choose).data());
    return folded(elementwise<3>(Op::choose, result, std::move(operands)));
}

void broadcast_operands(std::span<Operand> operands, const char* what) {
    Shape shape = to_shape(operands[0].dims.max_shape());
    try {
        for (const Operand& operand : operands.subspan(1))
            shape = dimensions::broadcast_shapes(shape, operand.dims.max_shape());
        for (Operand& operand : operands)
            if (!std::ranges::equal(operand.dims.max_shape(), shape))
                operand.dims = dimensions::expand(operand.dims, shape);
    } catch (const ShapeError&) {
        std::string shapes;
        for (const Operand& operand : operands)
            shapes += (shapes.empty() ? "" : " and ") + to_string(operand.dims.max_shape());
        throw ShapeError(fmt::format("{}: shapes {} do not broadcast together", what, shapes));
    }
}

} // namespace purview
