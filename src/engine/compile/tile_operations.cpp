#include "engine/compile/tile_operations.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>

#include "dtype/type_ids.hpp"
#include "engine/kernels/table/lane_kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

namespace purview::inline v0_1::engine {

TypeId mask_lane(std::uint32_t bytes) {
    switch (bytes) {
    case 1: return TypeId::uint8;
    case 2: return TypeId::uint16;
    case 4: return TypeId::uint32;
    default: return TypeId::uint64;
    }
}

const void* mask_constant(bool value) {
    static constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
    static constexpr std::uint64_t kAllZeros = 0;
    return value ? &kAllOnes : &kAllZeros;
}

const void* place_of_literal(std::uint64_t bits) {
    static constexpr std::array<std::uint64_t, 4> kLiterals{0, 1, std::bit_cast<std::uint64_t>(1.0),
                                                            std::bit_cast<std::uint32_t>(1.0f)};
    const auto* const place = std::ranges::find(kLiterals, bits);
    if (place == kLiterals.end()) [[unlikely]]
        throw Error(fmt::format("tile programs have no literal of bits {:#x}", bits));
    return place;
}

// Those whose tile operation has the same name.
// clang-format off
#define PURVIEW_EACH_TILE_OPERATION(macro)                                                         \
    macro(negative) macro(absolute) macro(square_root) macro(square) macro(signum) macro(floor)    \
    macro(ceil) macro(round) macro(rint) macro(trunc) macro(next_up) macro(next_down) macro(ulp)   \
    macro(add) macro(subtract) macro(multiply) macro(scale) macro(divide) macro(remainder)         \
    macro(ieee_remainder) macro(minimum) macro(maximum) macro(shift_left) macro(shift_right)       \
    macro(equal) macro(not_equal) macro(less) macro(less_equal) macro(greater)                     \
    macro(greater_equal) macro(logical_not) macro(logical_and) macro(logical_or)                   \
    PURVIEW_EACH_FLOAT_FUNCTION(macro) PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(macro)
// clang-format on

TileOp tile_op(Op op) {
    switch (op) {
#define PURVIEW_CASE(NAME) \
 case Op::NAME: return TileOp::NAME;
        PURVIEW_EACH_TILE_OPERATION(PURVIEW_CASE)
#undef PURVIEW_CASE
    case Op::bit_not: return TileOp::logical_not;
    case Op::bit_and: return TileOp::logical_and;
    case Op::bit_or: return TileOp::logical_or;
    case Op::bit_xor: return TileOp::logical_xor;
    case Op::cast: // as `conversion_op` says
    case Op::wrapping_cast:
    case Op::choose: // a form of its own
    case Op::map: return TileOp::none;
    }
    std::unreachable();
}

TileOp mask_op(Op op) {
    if (op == Op::add || op == Op::maximum) return TileOp::logical_or;
    if (op == Op::multiply || op == Op::minimum) return TileOp::logical_and;
    return op == Op::not_equal ? TileOp::logical_xor : tile_op(op);
}

TileOp mirrored(TileOp op) {
    switch (op) {
    case TileOp::less: return TileOp::greater;
    case TileOp::less_equal: return TileOp::greater_equal;
    case TileOp::greater: return TileOp::less;
    case TileOp::greater_equal: return TileOp::less_equal;
    case TileOp::add:
    case TileOp::multiply:
    case TileOp::equal:
    case TileOp::not_equal:
    case TileOp::logical_and:
    case TileOp::logical_or:
    case TileOp::logical_xor: return op;
    default: return TileOp::none;
    }
}

TileOp conversion_op(TypeId to) {
    return is_floating(to)   ? TileOp::to_float
           : is_unsigned(to) ? TileOp::to_unsigned
                             : TileOp::to_signed;
}

bool preserves_b(Form form) {
    using enum Form;
    return one_of(form, {load_a, constant_a, reload_a, load_bools_a, spill_a, keep_valid, unary,
                         a_op_memory, memory_op_a, a_op_constant, constant_op_a, a_op_scratch,
                         scratch_op_a});
}

CastBlock find_conversion(const KernelTable& kernels, DType from, DType to, bool checked) {
    const Float16Kernels& float16s = kernels.lanes->float16;
    if (from == float16) return float16s.half_to_float;
    if (from == bfloat16) return float16s.bfloat_to_float;
    if (to == float16) return from == float64 ? float16s.double_to_half : float16s.float_to_half;
    if (to == bfloat16)
        return from == float64  ? float16s.double_to_bfloat
               : from == int64  ? float16s.int64_to_bfloat
               : from == uint64 ? float16s.uint64_to_bfloat
                                : float16s.float_to_bfloat;
    return kernels.find_cast(from.id(), to.id(), checked);
}

bool can_misfit(DType from, DType to) {
    if (!from.is_builtin() || !to.is_builtin()) return false; // floats of 16 bits
    if (to == boolean || from == boolean) return false;
    if (to.is_floating()) return from == float64 && to == float32;
    if (from.is_floating()) return true;
    const auto is_signed = [](DType dtype) { return !is_unsigned(dtype.id()); };
    if (is_signed(from)) return !is_signed(to) || to.size_bytes() < from.size_bytes();
    return is_signed(to) ? to.size_bytes() <= from.size_bytes()
                         : to.size_bytes() < from.size_bytes();
}

bool is_checked(const Values& values, ValueId id) {
    const Elementwise* const operation = values[id].operation();
    return operation != nullptr && operation->op() == Op::cast &&
           can_misfit(values[values.operands(id)[0]].node->dtype(), operation->dtype());
}

bool checks_conversions(const Values& values) {
    for (ValueId id = 0; id < values.size(); ++id)
        if (is_checked(values, id)) return true;
    return false;
}

TileForm tile_form(const KernelTable& kernels, const Values& values, ValueId id) {
    const Elementwise& node = *values[id].operation();
    const DType result = node.dtype();
    const DType x = values[values.operands(id)[0]].node->dtype();
    const auto width = [](DType dtype) { return static_cast<std::uint32_t>(dtype.size_bytes()); };
    const bool is_cast = node.op() == Op::cast || node.op() == Op::wrapping_cast;
    if (node.op() == Op::map) return {};
    if (node.op() == Op::choose) return {true, result == boolean ? 0 : width(result)};
    if (x == boolean) return {true, is_cast && result != boolean ? width(result) : 0};
    if (is_cast) {
        if (result == boolean) return {true, width(x)};
        // A checked conversion that cannot fail equals a wrapping one; one that can fail has to
        // tell where, which tiles cannot.
        if (width(x) != width(result) || is_checked(values, id)) return {};
    }
    const bool is_binary = values.operands(id).size() == 2;
    const TileOp op = is_cast ? conversion_op(result.id()) : tile_op(node.op());
    const bool exists = kernels.find(is_binary ? Form::a_op_b : Form::unary, op, x.id()) != nullptr;
    return {exists, width(x)};
}

} // namespace purview::engine
