#include "engine/compile/tile_operations.hpp"

#include <purview/dtype/half.hpp>

#include "engine/kernels/table/lane_kernels.hpp"
#include "engine/machine_code/program_values.hpp"

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

TileOp tile_op(Op op) {
    switch (op) {
    case Op::negative: return TileOp::negative;
    case Op::absolute: return TileOp::absolute;
    case Op::square_root: return TileOp::square_root;
    case Op::square: return TileOp::square;
    case Op::logical_not: return TileOp::logical_not;
    case Op::add: return TileOp::add;
    case Op::subtract: return TileOp::subtract;
    case Op::multiply: return TileOp::multiply;
    case Op::divide: return TileOp::divide;
    case Op::remainder: return TileOp::remainder;
    case Op::minimum: return TileOp::minimum;
    case Op::maximum: return TileOp::maximum;
    case Op::equal: return TileOp::equal;
    case Op::not_equal: return TileOp::not_equal;
    case Op::less: return TileOp::less;
    case Op::less_equal: return TileOp::less_equal;
    case Op::greater: return TileOp::greater;
    case Op::greater_equal: return TileOp::greater_equal;
    case Op::logical_and: return TileOp::logical_and;
    case Op::logical_or: return TileOp::logical_or;
    case Op::floor: return TileOp::floor;
    case Op::ceil: return TileOp::ceil;
    case Op::round: return TileOp::round;
    case Op::rint: return TileOp::rint;
    case Op::trunc: return TileOp::trunc;
    case Op::signum: return TileOp::signum;
    case Op::next_up: return TileOp::next_up;
    case Op::next_down: return TileOp::next_down;
    case Op::ulp: return TileOp::ulp;
#define PURVIEW_CASE(NAME) \
 case Op::NAME: return TileOp::NAME;
        PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_CASE)
        PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_CASE)
#undef PURVIEW_CASE
    case Op::ieee_remainder: return TileOp::ieee_remainder;
    case Op::shift_left: return TileOp::shift_left;
    case Op::shift_right: return TileOp::shift_right;
    case Op::bit_not: return TileOp::logical_not;
    case Op::bit_and: return TileOp::logical_and;
    case Op::bit_or: return TileOp::logical_or;
    case Op::bit_xor: return TileOp::logical_xor;
    default: return TileOp::none;
    }
}

TileOp mask_op(Op op) {
    switch (op) {
    case Op::add:
    case Op::maximum: return TileOp::logical_or;
    case Op::multiply:
    case Op::minimum: return TileOp::logical_and;
    case Op::not_equal: return TileOp::logical_xor;
    default: return tile_op(op);
    }
}

TileOp mirrored(TileOp op) {
    switch (op) {
    case TileOp::less: return TileOp::greater;
    case TileOp::less_equal: return TileOp::greater_equal;
    case TileOp::greater: return TileOp::less;
    case TileOp::greater_equal: return TileOp::less_equal;
    default: return commutes(op) ? op : TileOp::none;
    }
}

bool preserves_b(Form form) {
    switch (form) {
    case Form::load_a:
    case Form::constant_a:
    case Form::reload_a:
    case Form::load_bools_a:
    case Form::spill_a:
    case Form::keep_valid:
    case Form::unary:
    case Form::a_op_memory:
    case Form::memory_op_a:
    case Form::a_op_constant:
    case Form::constant_op_a:
    case Form::a_op_scratch:
    case Form::scratch_op_a: return true;
    default: return false;
    }
}

CastBlock find_conversion(const KernelTable& kernels, DType from, DType to, bool checked) {
    const Float16Kernels& float16s = kernels.lanes->float16;
    if (from == float16) return float16s.half_to_float;
    if (from == bfloat16) return float16s.bfloat_to_float;
    if (to == float16) return float16s.float_to_half;
    if (to == bfloat16) return float16s.float_to_bfloat;
    return kernels.find_cast(from.id(), to.id(), checked);
}

bool can_misfit(DType from, DType to) {
    if (!from.is_builtin() || !to.is_builtin()) return false; // floats of 16 bits
    if (to == boolean || from == boolean) return false;
    if (to.is_floating()) return from == float64 && to == float32;
    if (from.is_floating()) return true;
    const auto is_signed = [](DType dtype) { return dtype.id() <= TypeId::int64; };
    if (is_signed(from)) return !is_signed(to) || to.size_bytes() < from.size_bytes();
    return is_signed(to) ? to.size_bytes() <= from.size_bytes()
                         : to.size_bytes() < from.size_bytes();
}

bool checks_conversions(const Values& values) {
    for (ValueId id = 0; id < values.size(); ++id) {
        const Elementwise* const operation = values[id].operation();
        if (operation != nullptr && operation->op() == Op::cast &&
            can_misfit(values[values.operands(id)[0]].node->dtype(), operation->dtype()))
            return true;
    }
    return false;
}

TileForm tile_form(const KernelTable& kernels, const Values& values, ValueId id) {
    const Elementwise& node = *values[id].operation();
    const DType result = node.dtype();
    const DType x = values[values.operands(id)[0]].node->dtype();
    const auto width = [](DType dtype) { return static_cast<std::uint32_t>(dtype.size_bytes()); };
    switch (node.op()) {
    case Op::map: return {};
    case Op::choose: return {true, result == boolean ? 0 : width(result)};
    case Op::cast:
    case Op::wrapping_cast:
        if (x == boolean) return {true, width(result)};
        if (result == boolean) return {true, width(x)};
        // A checked conversion that cannot fail equals a wrapping one; one that can fail has to
        // tell where, which tiles cannot.
        if (width(x) != width(result) || (node.op() == Op::cast && can_misfit(x, result)))
            return {};
        break;
    default: break;
    }
    if (x == boolean) return {true, 0};
    const bool is_cast = node.op() == Op::cast || node.op() == Op::wrapping_cast;
    const bool is_binary = values.operands(id).size() == 2;
    const TileOp op = !is_cast                       ? tile_op(node.op())
                      : result.is_floating()         ? TileOp::to_float
                      : result.id() <= TypeId::int64 ? TileOp::to_signed
                                                     : TileOp::to_unsigned;
    const bool exists = kernels.find(is_binary ? Form::a_op_b : Form::unary, op, x.id()) != nullptr;
    return {exists, width(x)};
}

} // namespace purview::engine
