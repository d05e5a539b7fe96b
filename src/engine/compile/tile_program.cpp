#include "engine/compile/tile_program.hpp"

#include "engine/compile/tile_registers.hpp"

#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Emits the code of one segment, value by value.
class Emitter : TileRegisters {
public:
    using TileRegisters::TileRegisters;

    TileProgram run(const SegmentEnd& end) {
        for (Number id = 0; id < values().size(); ++id)
            if (values()[id].is_computed()) emit_value(id);
        place_in_a(program_.values.result);
        emit_end(end);
        fuse();
        return std::move(program_);
    }

private:
    void emit_value(Number id) {
        Value& value = values()[id];
        if (value.kind == Kind::choose)
            emit_choose(value);
        else if (value.kind == Kind::binary)
            emit_binary(value);
        else
            emit_unary(value);
        value.for_each_operand([&](Number operand) { consume(operand); });
        a_ = id;
    }

    void emit_unary(const Value& value) {
        place_in_a(value.x);
        preserve_a(1);
        require(Form::unary, value.op, value.lane);
    }

    void emit_binary(Value& value) {
        const auto [x, y] = std::pair(value.x, value.y);
        if (x == y && !is_addressable(x)) {
            place_in_a(x);
            save_b();
            move(Form::a_to_b);
            b_ = x;
            require(Form::a_op_b, value.op, value.lane);
        } else if (x != y && (a_ == y || (b_ == y && a_ != x))) {
            place_in_a(y);
            combine_with_a(value, x, true);
        } else {
            place_in_a(x);
            combine_with_a(value, y, false);
        }
    }

    /// A = A op other, or with `reversed` A = other op A.
    void combine_with_a(Value& value, Number other, bool reversed) {
        const Local* const local = local_of(other);
        if (local != nullptr && b_ != other) {
            preserve_a(1);
            if (try_form(reversed ? Form::scratch_op_a : Form::a_op_scratch, Form::a_op_scratch,
                         value, reversed)) {
                program_.spills.push_back({last(), local->spill});
                return;
            }
        } else if (is_addressable(other)) {
            const bool in_memory = values()[other].kind == Kind::array;
            const Form straight = in_memory ? Form::a_op_memory : Form::a_op_constant;
            const Form form = !reversed   ? straight
                              : in_memory ? Form::memory_op_a
                                          : Form::constant_op_a;
            preserve_a(1);
            if (try_form(form, straight, value, reversed)) return touch(other);
        }
        place_in_a_and_b(a_, other);
        preserve_a(1);
        [[maybe_unused]] const bool found =
            try_form(reversed ? Form::b_op_a : Form::a_op_b, Form::a_op_b, value, reversed);
        PURVIEW_ASSERT(found);
    }

    /// Whether an instruction can take a value as its operand: a number in memory, or a constant
    /// number.
    bool is_addressable(Number id) {
        return !values()[id].is_computed() && !values()[id].is_mask();
    }

    /// A value that is mirrored stays so, as of two NaN the result is the first.
    bool try_form(Form form, Form straight, Value& value, bool reversed) {
        if (emit(form, value.op, value.lane)) return true;
        const TileOp other = mirrored(value.op);
        if (!reversed || other == TileOp::none || !emit(straight, other, value.lane)) return false;
        value.op = other;
        std::swap(value.x, value.y);
        return true;
    }

    void emit_choose(const Value& value);
    std::uint32_t slot_of(Number id);
    void emit_end(const SegmentEnd& end);
    void put_first(Form form);
    void fuse();
    void emit_accumulation(const SegmentEnd& end, TypeId lane);
    void emit_valid(const void* neutral, TypeId lane);
};

/// A choice is always compiled in the same way: the mask and one of the operands in the tiles A and
/// B, the other operand (`outside`) in memory or a constant if it is a number there, else in
/// scratch.
void Emitter::emit_choose(const Value& value) {
    const Number mask = value.mask;
    const Number x = value.x;
    const Number y = value.y;
    const bool y_outside = is_addressable(y) || !is_addressable(x);
    const Number outside = y_outside ? y : x;
    const Number inside = y_outside ? x : y;
    const std::uint32_t slot = is_addressable(outside) ? kNone : slot_of(outside);
    if (mask == inside) {
        place_in_a(mask);
        save_b();
        move(Form::a_to_b);
        b_ = mask;
    } else if (b_ != mask || a_ != inside) {
        place_in_a_and_b(mask, inside);
    }
    const bool mask_in_a = a_ == mask;
    preserve_a(static_cast<std::uint32_t>((a_ == mask) + (a_ == x) + (a_ == y)));
    using enum Form;
    const auto pick = [&](Form a_b_out, Form a_out_b, Form b_a_out, Form b_out_a) {
        return mask_in_a ? (y_outside ? a_b_out : a_out_b) : (y_outside ? b_a_out : b_out_a);
    };
    if (slot != kNone) {
        move(pick(a_chooses_b_or_scratch, a_chooses_scratch_or_b, b_chooses_a_or_scratch,
                  b_chooses_scratch_or_a));
        program_.spills.push_back({last(), slot});
        if (local_of(outside) == nullptr) slots_[slot] = kNoNumber;
    } else if (values()[outside].kind == Kind::array) {
        move(pick(a_chooses_b_or_memory, a_chooses_memory_or_b, b_chooses_a_or_memory,
                  b_chooses_memory_or_a));
        touch(outside);
    } else {
        require(pick(a_chooses_b_or_constant, a_chooses_constant_or_b, b_chooses_a_or_constant,
                     b_chooses_constant_or_a),
                TileOp::none, value.lane);
        touch(outside);
    }
}

/// A scratch slot that holds the value: its own, into which it is spilled if need be; for a bool
/// from memory, one that it is loaded into.
std::uint32_t Emitter::slot_of(Number id) {
    Local* const local = local_of(id);
    if (local == nullptr) {
        place_in_a(id);
        const std::uint32_t slot = take_slot(id);
        move(Form::spill_a);
        program_.spills.push_back({last(), slot});
        return slot;
    }
    if (local->spill == kNone) spill(id, a_ == id ? Form::spill_a : Form::spill_b);
    return local->spill;
}

void Emitter::emit_end(const SegmentEnd& end) {
    const Value& root = values()[program_.values.result];
    const TypeId lanes = root.is_mask() ? lane() : root.type;
    const Form prefetch = end.prefetched.size() == 1 ? Form::prefetch_alone : Form::prefetch;
    for (const ArrayId array : end.prefetched) {
        put_first(prefetch);
        program_.arrays.push_back({0, array});
    }
    program_.prefetches = static_cast<std::uint32_t>(end.prefetched.size());
    if (end.fold != TileOp::none) return emit_accumulation(end, lanes);
    require(root.is_mask() ? Form::store_bools_last
            : end.streams  ? Form::stream_last
                           : Form::store_last,
            TileOp::none, lanes);
    program_.arrays.push_back({last(), end.array});
    program_.touched.push_back({end.array, root.is_mask() ? 1 : program_.lane_bytes, false});
}

void Emitter::put_first(Form form) {
    program_.code.insert(program_.code.begin(),
                         {kernels_.find(form, TileOp::none, lane()), nullptr});
    for (auto* const patches : {&program_.arrays, &program_.constants, &program_.spills})
        for (Patch& patch : *patches) ++patch.instruction;
    for (Value& value : values())
        if (value.instruction != kNoNumber) ++value.instruction;
}

/// Replaces sequences of instructions by one function each. Code is entered at its first
/// instruction; only an accumulation in B jumps to its second one, and the first, `reload_b`, is
/// part of no sequence.
void Emitter::fuse() {
    const TypeId lane = program_.lane_bytes == 4 ? TypeId::float32 : TypeId::float64;
    if (program_.lane_bytes < 4) return;
    const std::span<Instruction> code = program_.code;
    for (std::size_t i = 0, length; i < code.size(); i += length)
        if (const TileFunction fused =
                kernels_.fuse(code.data() + i, code.size() - i, lane, &length))
            code[i].function = fused;
}

void Emitter::emit_accumulation(const SegmentEnd& end, TypeId lane) {
    if (end.neutral != nullptr) emit_valid(end.neutral, lane);
    const bool in_b = !uses_b_ && emit(Form::accumulate_in_b, end.fold, lane);
    if (in_b) {
        put_first(Form::reload_b);
        program_.accumulators.push_back(0);
    } else {
        require(Form::accumulate_last, end.fold, lane);
    }
    program_.accumulators.push_back(last());
}

void Emitter::emit_valid(const void* neutral, TypeId lane) {
    SegmentValues& all = program_.values;
    const TypeId type = values()[all.result].type;
    std::uint64_t bits = 0;
    std::memcpy(&bits, neutral, program_.lane_bytes);
    const Number other = all.add_literal(lane, type, bits);
    all.result =
        all.add({.kind = Kind::valid, .lane = lane, .type = type, .x = all.result, .y = other});
    require(Form::keep_valid, TileOp::none, lane, neutral);
}

} // namespace

TileProgram compile_segment(const KernelTable& kernels, SegmentValues values,
                            const SegmentEnd& end) {
    return Emitter(kernels, std::move(values)).run(end);
}

} // namespace purview::engine
