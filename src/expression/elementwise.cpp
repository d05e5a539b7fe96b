#include "base/same_extents.hpp"
#include "expression/constants.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/half.hpp>
#include <purview/expression/elementwise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>
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
[[gnu::always_inline]] inline Dimensions row_major_like(const Dimensions& dims) {
    if (dims.is_plain_line() && dims.base() == 0) [[likely]]
        return dims;
    return Dimensions::row_major(dims.max_shape());
}

/// A binary operation of an inline operand and a number of type `compute`, which lies behind it in
/// one block of memory. Whoever refers to the number may keep it longer.
class NumberOperation final : public ElementwiseOf<2> {
    NodePtr number_behind(DType dtype, PlainNumber value) noexcept {
        return NodePtr(::new (this + 1) NumberConstant(dtype, value, sizeof(*this)), false);
    }

public:
    NumberOperation(Op op, DType result, DType compute, const Dimensions& dims, Input&& x,
                    PlainNumber y) noexcept
        : ElementwiseOf(op, result, dims, nullptr, std::move(x), number_behind(compute, y)) {}
    NumberOperation(Op op, DType result, DType compute, const Dimensions& dims, PlainNumber x,
                    Input&& y) noexcept
        : ElementwiseOf(op, result, dims, nullptr, number_behind(compute, x), std::move(y)) {}
    static void* operator new(std::size_t bytes) {
        return Node::operator new(bytes + sizeof(NumberConstant));
    }
    using Node::operator delete;
    static void operator delete(NumberOperation* self, std::destroying_delete_t) noexcept {
        const bool is_first = self->inputs_[0].node.get() == static_cast<void*>(self + 1);
        const auto* const number =
            static_cast<const NumberConstant*>(self->inputs_[is_first ? 0 : 1].node.detach());
        self->~NumberOperation();
        if (number->is_shared()) [[unlikely]]
            NodePtr(number, false).reset();
        else
            delete number;
    }
};

// The functions below copy operands that are lvalues into the node, and move rvalues, once. What is
// inline keeps its Dimensions then.

/// Whether a `NumberOperation` can have this operand.
bool is_plain(const Operand& x, DType compute) {
    return x.dtype() == compute && x.dims.is_inline() && !is_constant(x);
}
Operand constant_of(PlainNumber number, DType dtype) {
    return {make_node<NumberConstant>(dtype, number), Dimensions()};
}

template <typename X>
Operand binary(Op op, X&& x, PlainNumber y, DType compute, DType result) {
    if (x.dtype() != compute) [[unlikely]]
        return binary(op, cast_operand(std::forward<X>(x), compute, Op::cast), y, compute, result);
    if (op == Op::divide && becomes_reciprocal(y, compute)) op = Op::multiply;
    if (!is_plain(x, compute) || op == Op::pow) [[unlikely]]
        return binary_operand(op, std::forward<X>(x), constant_of(y, compute), compute, result);
    Dimensions dims = row_major_like(x.dims);
    return {make_node<NumberOperation>(op, result, compute, dims, Input(std::forward<X>(x)), y),
            std::move(dims)};
}
template <typename Y>
Operand binary(Op op, PlainNumber x, Y&& y, DType compute, DType result) {
    if (y.dtype() != compute) [[unlikely]]
        return binary(op, x, cast_operand(std::forward<Y>(y), compute, Op::cast), compute, result);
    if (!is_plain(y, compute)) [[unlikely]]
        return binary_operand(op, constant_of(x, compute), std::forward<Y>(y), compute, result);
    Dimensions dims = row_major_like(y.dims);
    return {make_node<NumberOperation>(op, result, compute, dims, x, Input(std::forward<Y>(y))),
            std::move(dims)};
}
template <typename X, typename Y>
Operand binary(Op op, X&& x, Y&& y, DType compute, DType result) {
    if (is_plain(x, compute) && is_plain(y, compute) && same_shape(x, y)) [[likely]] {
        Dimensions dims = row_major_like(x.dims);
        return {make_node<ElementwiseOf<2>>(op, result, dims, nullptr, std::forward<X>(x),
                                            std::forward<Y>(y)),
                std::move(dims)};
    }
    if (is_plain(x, compute) && is_number(y, compute) && op != Op::pow)
        return binary(op, std::forward<X>(x), number_of(*y.node), compute, result);
    if (is_number(x, compute) && is_plain(y, compute))
        return binary(op, number_of(*x.node), std::forward<Y>(y), compute, result);
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
    if (x.dtype() != result || !x.dims.is_inline() || is_constant(x))
        return folded(
            elementwise<1>(op, result, {cast_operand(std::forward<X>(x), result, Op::cast)}));
    Dimensions dims = row_major_like(x.dims);
    return {make_node<ElementwiseOf<1>>(op, result, dims, nullptr, std::forward<X>(x)),
            std::move(dims)};
}

/// Whether the fills of sparse operands may decide what an operation is, whatever its dense
/// operands are.
bool may_annihilate(const Elementwise& operation) {
    const auto known = [&](std::size_t i) { return operation.inputs()[i].node->may_be_sparse(); };
    const auto sparse = [&](std::size_t i) {
        return known(i) && operation.inputs()[i].node->known_storage_kind() != Kind::constant;
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

Operand Elementwise::operand(std::size_t number) const {
    const Input& input = inputs_[number];
    if (input.view != nullptr) return {input.node, input.view->dims};
    return {input.node, input.node->kind() == NodeKind::constant ? dimensions::repeated(shape())
                                                                 : Dimensions::row_major(shape())};
}

Kind Elementwise::kind_above_sparse() const noexcept {
    Kind most = Kind::constant;
    bool all_may_be = true;
    bool undecided = false;
    for (const Input& input : inputs()) {
        const Kind kind = input.node->known_storage_kind();
        most = std::max(most, kind);
        all_may_be &= input.node->may_be_sparse();
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

#define PURVIEW_BINARY_OPERAND(X, Y)                                        \
 Operand binary_operand(Op op, X x, Y y, DType compute, DType result) {     \
  return binary(op, static_cast<X>(x), static_cast<Y>(y), compute, result); \
 }
PURVIEW_BINARY_OPERAND(const Operand&, const Operand&)
PURVIEW_BINARY_OPERAND(const Operand&, Operand&&)
PURVIEW_BINARY_OPERAND(Operand&&, const Operand&)
PURVIEW_BINARY_OPERAND(Operand&&, Operand&&)
PURVIEW_BINARY_OPERAND(const Operand&, PlainNumber)
PURVIEW_BINARY_OPERAND(Operand&&, PlainNumber)
PURVIEW_BINARY_OPERAND(PlainNumber, const Operand&)
PURVIEW_BINARY_OPERAND(PlainNumber, Operand&&)
#undef PURVIEW_BINARY_OPERAND

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
