#include "base/free_blocks.hpp"
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

/// Whether elements of an operand are those of its node from address 0, in row-major order of the
/// operand: the Dimensions of an operation on it are its own. False for some with axes of size 1.
bool is_plain(const Dimensions& dims) { return dims.is_plain_line() && dims.base() == 0; }

/// The same of two operands of one shape.
[[gnu::always_inline]] inline bool are_plain(const Dimensions& x, const Dimensions& y) {
    const int rank = x.rank();
    if (!x.is_inline() || !y.is_inline() || rank != y.rank() || rank > kInlineRank) return false;
    const index_t* const extents = x.max_shape().data();
    const index_t* const strides = x.strides().data();
    const index_t* const other_extents = y.max_shape().data();
    const index_t* const other_strides = y.strides().data();
    index_t size = 1;
    index_t different = x.base() | y.base();
    for (int a = rank; a-- > 0;) {
        different |=
            (strides[a] ^ size) | (other_strides[a] ^ size) | (extents[a] ^ other_extents[a]);
        size *= extents[a];
    }
    return different == 0 && size != 0;
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

/// A binary operation of two operands that are seen as they are, of which most expressions are made:
/// its block is taken and given back without a call.
class PlainPair final : public ElementwiseOf<2> {
public:
    using ElementwiseOf::ElementwiseOf;
    static void* operator new(std::size_t bytes) {
        if (void* const block = free_blocks.take(bytes)) [[likely]]
            return block;
        return ::operator new(bytes);
    }
    static void operator delete(void* block, std::size_t bytes) noexcept {
        free_blocks.give(block, bytes);
    }
};

// The functions below copy nodes of operands that are lvalues, and move those of rvalues, which keep
// their Dimensions then. What most expressions are made of comes first, and is short; the rest are
// calls.

bool is_inline_of(const Operand& x, DType dtype) {
    return x.dtype() == dtype && x.dims.is_inline() && !is_constant(x);
}
Operand constant_of(PlainNumber number, DType dtype) {
    return {make_node<NumberConstant>(dtype, number), Dimensions()};
}

template <typename X>
[[gnu::noinline]] Operand general_binary(Op op, X&& x, PlainNumber y, DType compute, DType result) {
    if (!is_inline_of(x, compute) || op == Op::pow)
        return binary_operand(op, cast_operand(std::forward<X>(x), compute, Op::cast),
                              constant_of(y, compute), compute, result);
    Dimensions dims = Dimensions::row_major(x.dims.max_shape());
    return {make_node<NumberOperation>(op, result, compute, dims, Input(std::forward<X>(x)), y),
            std::move(dims)};
}
template <typename X>
Operand binary(Op op, X&& x, PlainNumber y, DType compute, DType result) {
    if (op == Op::divide && becomes_reciprocal(y, compute)) op = Op::multiply;
    if (x.dtype() == compute && is_plain(x.dims) && !is_constant(x) && op != Op::pow) [[likely]]
        return {make_node<NumberOperation>(op, result, compute, x.dims,
                                           Input(std::forward<X>(x).node), y),
                x.dims};
    return general_binary(op, std::forward<X>(x), y, compute, result);
}

template <typename Y>
[[gnu::noinline]] Operand general_binary(Op op, PlainNumber x, Y&& y, DType compute, DType result) {
    if (!is_inline_of(y, compute))
        return binary_operand(op, constant_of(x, compute),
                              cast_operand(std::forward<Y>(y), compute, Op::cast), compute, result);
    Dimensions dims = Dimensions::row_major(y.dims.max_shape());
    return {make_node<NumberOperation>(op, result, compute, dims, x, Input(std::forward<Y>(y))),
            std::move(dims)};
}
template <typename Y>
Operand binary(Op op, PlainNumber x, Y&& y, DType compute, DType result) {
    if (y.dtype() == compute && is_plain(y.dims) && !is_constant(y)) [[likely]]
        return {make_node<NumberOperation>(op, result, compute, y.dims, x,
                                           Input(std::forward<Y>(y).node)),
                y.dims};
    return general_binary(op, x, std::forward<Y>(y), compute, result);
}

template <typename X, typename Y>
[[gnu::noinline]] Operand general_binary(Op op, X&& x, Y&& y, DType compute, DType result) {
    if (is_inline_of(x, compute) && is_inline_of(y, compute) && same_shape(x, y)) {
        Dimensions dims = Dimensions::row_major(x.dims.max_shape());
        return {make_node<ElementwiseOf<2>>(op, result, dims, nullptr, std::forward<X>(x),
                                            std::forward<Y>(y)),
                std::move(dims)};
    }
    if (is_inline_of(x, compute) && is_number(y, compute) && op != Op::pow)
        return binary(op, std::forward<X>(x), number_of(*y.node), compute, result);
    if (is_number(x, compute) && is_inline_of(y, compute))
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
template <typename X, typename Y>
[[gnu::flatten]] Operand binary(Op op, X&& x, Y&& y, DType compute, DType result) {
    if (x.dtype() == compute && y.dtype() == compute && are_plain(x.dims, y.dims) &&
        !is_constant(x) && !is_constant(y)) [[likely]]
        return {make_node<PlainPair>(op, result, x.dims, nullptr, std::forward<X>(x).node,
                                     std::forward<Y>(y).node),
                x.dims};
    return general_binary(op, std::forward<X>(x), std::forward<Y>(y), compute, result);
}

template <typename X>
Operand unary(Op op, X&& x, DType result) {
    if (is_rounding(op) && result.is_integer())
        return cast_operand(std::forward<X>(x), result, Op::cast);
    if (x.dtype() == result && is_plain(x.dims) && !is_constant(x)) [[likely]]
        return {make_node<ElementwiseOf<1>>(op, result, x.dims, nullptr, std::forward<X>(x).node),
                x.dims};
    return folded(elementwise<1>(op, result, {cast_operand(std::forward<X>(x), result, Op::cast)}));
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
    case Absorbing::zero: // 0 · ∞ and 0 · NaN are NaN, and so are all extremes with NaN
    case Absorbing::all_ones:
    case Absorbing::lowest:
    case Absorbing::highest: return !operation.dtype().is_floating() && (sparse(0) || sparse(1));
    }
    std::unreachable();
}

} // namespace

BlockFunction::~BlockFunction() = default;
std::string_view BlockFunction::registered_name() const noexcept { return {}; }
std::shared_ptr<const BlockFunction> BlockFunction::derivative(std::size_t) const {
    return nullptr;
}

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

DType rounded_to_float16(DType from, DType to) noexcept {
    if (from == float64) return float64;
    // Integers that a float rounds are infinite in float16.
    if (to == float16) return float32;
    if (from == int32) return int64;
    return from == uint32 || from == uint64 ? uint64 : from == int64 ? int64 : float32;
}

Operand cast_operand(Operand x, DType dtype, Op cast) {
    if (x.dtype() == dtype) return x;
    // Floats of 16 bits are read as float32, and rounded once.
    if (is_float16(x.dtype()) && dtype != float32)
        return cast_operand(cast_operand(std::move(x), float32, cast), dtype, cast);
    if (is_float16(dtype))
        if (const DType exact = rounded_to_float16(x.dtype(), dtype); x.dtype() != exact)
            return cast_operand(cast_operand(std::move(x), exact, Op::wrapping_cast), dtype, cast);
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
