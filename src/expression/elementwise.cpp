#include "base/same_extents.hpp"
#include "expression/constants.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/half.hpp>
#include <purview/expression/elementwise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

bool same_shape(const Operand& x, const Operand& y) {
    return same_extents(x.dims.max_shape(), y.dims.max_shape());
}

[[noreturn]] void throw_broadcast(std::span<const Operand> operands, const char* what) {
    std::string shapes;
    for (const Operand& operand : operands)
        shapes += (shapes.empty() ? "" : " and ") + to_string(operand.dims.max_shape());
    throw ShapeError(fmt::format("{}: shapes {} do not broadcast together", what, shapes));
}

/// Row-major Dimensions of the shape of `dims`.
Dimensions row_major_like(const Dimensions& dims) {
    return dims.is_identity() ? dims : Dimensions::row_major(dims.max_shape());
}

/// A number beside an operand of some shape, which the node stores repeated. The operand may have
/// been moved, if it `is_inline`.
struct RepeatedNumber {
    NodePtr node;
    const Dimensions& beside;

    operator Operand() && { return {std::move(node), dimensions::repeated(beside.max_shape())}; }
};

/// The operand of an operation, of the shape of its operand `i`. Read from the node, so that each
/// Dimensions is copied once: copies take most of the time of an operation.
Operand of_shape(std::size_t i, NodePtr node) {
    const Dimensions& dims = static_cast<const Elementwise&>(*node).operands()[i].dims;
    return {std::move(node), row_major_like(dims)};
}

/// A binary operation. Copies operands that are lvalues into the node, and moves rvalues, once.
template <typename X, typename Y>
Operand binary(Op op, X&& x, Y&& y, DType compute, DType result) {
    if (x.dtype() == compute && y.dtype() == compute && x.dims.is_inline() && y.dims.is_inline())
        [[likely]] {
        using Node = ElementwiseOf<2>;
        const bool x_is_constant = is_constant(x);
        const bool y_is_constant = is_constant(y);
        if (!x_is_constant && y_is_constant && y.dims.rank() == 0 && op != Op::pow) {
            NodePtr number = std::forward<Y>(y).node;
            multiply_if_exact(op, number);
            return of_shape(0, make_node<Node>(op, result, nullptr, std::forward<X>(x),
                                               RepeatedNumber{std::move(number), x.dims}));
        }
        if (!y_is_constant && x_is_constant && x.dims.rank() == 0)
            return of_shape(1, make_node<Node>(op, result, nullptr,
                                               RepeatedNumber{std::forward<X>(x).node, y.dims},
                                               std::forward<Y>(y)));
        if (!x_is_constant && !y_is_constant && same_shape(x, y))
            return of_shape(
                0, make_node<Node>(op, result, nullptr, std::forward<X>(x), std::forward<Y>(y)));
    }
    std::array<Operand, 2> operands{cast_operand(std::forward<X>(x), compute, Op::cast),
                                    cast_operand(std::forward<Y>(y), compute, Op::cast)};
    if (!same_shape(operands[0], operands[1])) broadcast_operands(operands, name_of(op).data());
    if (op == Op::pow && is_two(operands[1]))
        return folded(elementwise<1>(Op::square, result, {std::move(operands[0])}));
    multiply_if_exact(op, operands[1].node);
    const bool known = is_constant(operands[0]) && is_constant(operands[1]);
    Operand operation = elementwise<2>(op, result, std::move(operands));
    return known ? folded(std::move(operation)) : operation;
}

template <typename X>
Operand unary(Op op, X&& x, DType result) {
    if (is_rounding(op) && result.is_integer())
        return cast_operand(std::forward<X>(x), result, Op::cast);
    if (x.dtype() != result || is_constant(x))
        return folded(
            elementwise<1>(op, result, {cast_operand(std::forward<X>(x), result, Op::cast)}));
    return of_shape(0, make_node<ElementwiseOf<1>>(op, result, nullptr, std::forward<X>(x)));
}

/// Whether the fills of sparse operands may decide what an operation is, whatever its dense
/// operands are.
bool may_annihilate(const Elementwise& operation) {
    const auto known = [&](std::size_t i) { return operation.operands()[i].node->may_be_sparse(); };
    const auto sparse = [&](std::size_t i) {
        return known(i) && operation.operands()[i].node->known_storage_kind() != Kind::constant;
    };
    if (!operation.dtype().is_builtin() && operation.op() != Op::choose) return false;
    if (operation.op() == Op::choose)
        return (sparse(0) && (known(1) || known(2))) || (known(0) && (sparse(1) || sparse(2))) ||
               (known(1) && known(2) && (sparse(1) || sparse(2)));
    switch (traits_of(operation.op()).absorbing) {
    case Absorbing::nothing: return false;
    case Absorbing::zero_first: return sparse(0);
    // 0 · ∞ and 0 · NaN are NaN, and so are all extremes with NaN.
    default: return !operation.dtype().is_floating() && (sparse(0) || sparse(1));
    }
}

} // namespace

BlockFunction::~BlockFunction() = default;

Kind Elementwise::kind_above_sparse() const noexcept {
    Kind most = Kind::constant;
    bool all_may_be = true;
    bool undecided = false;
    for (const Operand& operand : operands_) {
        const Kind kind = operand.node->known_storage_kind();
        most = std::max(most, kind);
        all_may_be &= operand.node->may_be_sparse();
        undecided |= kind == kUndecided;
    }
    if (all_may_be) return undecided ? kUndecided : most;
    return may_annihilate(*this) ? kUndecided : Kind::computed;
}

Operand cast_operand(Operand x, DType dtype, Op cast) {
    if (x.dtype() == dtype) return x;
    // Floats of 16 bits are read as float32, and rounded from it.
    if (is_float16(x.dtype()) && dtype != float32)
        return cast_operand(cast_operand(std::move(x), float32, cast), dtype, cast);
    if (is_float16(dtype) && x.dtype() != float32) // unchecked: too large is infinite
        return cast_operand(cast_operand(std::move(x), float32, Op::wrapping_cast), dtype, cast);
    if (is_float16(dtype) || is_float16(x.dtype()))
        return elementwise<1>(cast, dtype, {std::move(x)});
    if (!x.dtype().is_builtin() || !dtype.is_builtin())
        throw_dtype_mismatch("cast", dtype, x.dtype());
    return folded(elementwise<1>(cast, dtype, {std::move(x)}));
}

Operand unary_operand(Op op, const Operand& x, DType result) { return unary(op, x, result); }
Operand unary_operand(Op op, Operand&& x, DType result) { return unary(op, std::move(x), result); }

Operand binary_operand(Op op, const Operand& x, const Operand& y, DType compute, DType result) {
    return binary(op, x, y, compute, result);
}
Operand binary_operand(Op op, const Operand& x, Operand&& y, DType compute, DType result) {
    return binary(op, x, std::move(y), compute, result);
}
Operand binary_operand(Op op, Operand&& x, const Operand& y, DType compute, DType result) {
    return binary(op, std::move(x), y, compute, result);
}
Operand binary_operand(Op op, Operand&& x, Operand&& y, DType compute, DType result) {
    return binary(op, std::move(x), std::move(y), compute, result);
}

Operand choose_operand(Operand condition, Operand x, Operand y, DType result) {
    std::array<Operand, 3> operands{std::move(condition),
                                    cast_operand(std::move(x), result, Op::cast),
                                    cast_operand(std::move(y), result, Op::cast)};
    broadcast_operands(operands, name_of(Op::choose).data());
    return folded(elementwise<3>(Op::choose, result, std::move(operands)));
}

void broadcast_operands(std::span<Operand> operands, const char* what) {
    const Operand* largest = &operands[0];
    for (const Operand& operand : operands.subspan(1))
        if (operand.dims.rank() > largest->dims.rank()) largest = &operand;
    Shape shape = to_shape(largest->dims.max_shape());
    for (const Operand& operand : operands)
        if (!dimensions::broadcast_into(shape, operand.dims.max_shape()))
            throw_broadcast(operands, what);
    for (Operand& operand : operands)
        if (!same_extents(operand.dims.max_shape(), shape))
            operand.dims = dimensions::expand(operand.dims, shape);
}

} // namespace purview
