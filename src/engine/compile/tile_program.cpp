#include "engine/compile/tile_program.hpp"

#include "dtype/type_ids.hpp"
#include "engine/compile/tile_registers.hpp"

#include <array>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Emits the code of one segment, value by value.
class Emitter : TileRegisters {
public:
    using TileRegisters::TileRegisters;

    TileProgram run(const SegmentEnd& end) {
        for (const ValueId id : segment_.values) emit_value(id);
        place_in_a(segment_.root);
        emit_end(end);
        fuse();
        return std::move(program_);
    }

private:
    void emit_value(ValueId id) {
        const Op op = values_[id].operation()->op();
        if (is_transcendental(op)) ++program_.functions;
        const std::span<const ValueId> x = values_.operands(id);
        if (op == Op::choose)
            emit_choose(x[0], x[1], x[2]);
        else if (x.size() == 2)
            emit_binary(op, x[0], x[1]);
        else
            emit_unary(op, x[0], type_of(id));
        for (const ValueId operand : x) consume(operand);
        a_ = id;
    }

    void emit_unary(Op op, ValueId x, TypeId result) {
        place_in_a(x);
        preserve_a(1);
        if (op == Op::cast || op == Op::wrapping_cast)
            emit_conversion(type_of(x), result);
        else
            require(Form::unary, tile_op(op), type_of(x) == TypeId::boolean ? lane() : type_of(x));
    }

    /// Between types of one width, or from and to masks.
    void emit_conversion(TypeId from, TypeId to) {
        if (from == TypeId::boolean) {
            // The mask chooses between one and zero.
            static constexpr std::array<std::uint64_t, 2> kUnit{1, 0};
            static constexpr double kUnit64 = 1;
            static constexpr float kUnit32 = 1;
            const void* const one = to == TypeId::float64   ? static_cast<const void*>(&kUnit64)
                                    : to == TypeId::float32 ? static_cast<const void*>(&kUnit32)
                                                            : static_cast<const void*>(&kUnit[0]);
            save_b();
            b_ = kNoValue;
            require(Form::constant_b, TileOp::none, to, one);
            require(Form::a_chooses_b_or_constant, TileOp::none, to, &kUnit[1]);
        } else if (to == TypeId::boolean) {
            require(Form::a_op_constant, TileOp::not_equal, from, mask_constant(false));
        } else if (to == TypeId::float32 || to == TypeId::float64) {
            require(Form::unary, TileOp::to_float, from);
        } else {
            require(Form::unary, is_unsigned(to) ? TileOp::to_unsigned : TileOp::to_signed, from);
        }
    }

    void emit_binary(Op op, ValueId x, ValueId y) {
        const bool on_masks = type_of(x) == TypeId::boolean;
        const bool negated = on_masks && op == Op::equal;
        const TileOp operation = negated    ? TileOp::logical_xor
                                 : on_masks ? mask_op(op)
                                            : tile_op(op);
        const TypeId type = on_masks ? lane() : type_of(x);
        if (x == y && !is_addressable(x)) {
            place_in_a(x);
            save_b();
            move(Form::a_to_b);
            b_ = x;
            require(Form::a_op_b, operation, type);
        } else if (x != y && (a_ == y || (b_ == y && a_ != x))) {
            place_in_a(y);
            combine_with_a(operation, type, x, true);
        } else {
            place_in_a(x);
            combine_with_a(operation, type, y, false);
        }
        if (negated) require(Form::unary, TileOp::logical_not, type);
    }

    /// A = A op other, or with `reversed` A = other op A.
    void combine_with_a(TileOp op, TypeId type, ValueId other, bool reversed) {
        const Local* const local = local_of(other);
        if (local != nullptr && b_ != other) {
            preserve_a(1);
            if (try_form(reversed ? Form::scratch_op_a : Form::a_op_scratch, Form::a_op_scratch, op,
                         type, reversed)) {
                program_.spills.push_back({last(), local->spill});
                return;
            }
        } else if (is_addressable(other)) {
            const TileSource& source = sources_[other];
            const bool in_memory = source.form == TileSource::Form::array;
            const Form straight = in_memory ? Form::a_op_memory : Form::a_op_constant;
            const Form form = !reversed   ? straight
                              : in_memory ? Form::memory_op_a
                                          : Form::constant_op_a;
            preserve_a(1);
            if (try_form(form, straight, op, type, reversed)) {
                touch(source);
                return;
            }
        }
        place_in_a_and_b(a_, other);
        preserve_a(1);
        [[maybe_unused]] const bool found =
            try_form(reversed ? Form::b_op_a : Form::a_op_b, Form::a_op_b, op, type, reversed);
        PURVIEW_ASSERT(found);
    }

    /// Whether an instruction can take a value as its operand: a number in memory, or a constant
    /// number.
    bool is_addressable(ValueId id) {
        return local_of(id) == nullptr && sources_[id].type != TypeId::boolean;
    }

    bool try_form(Form form, Form straight, TileOp op, TypeId type, bool reversed) {
        if (emit(form, op, type)) return true;
        return reversed && mirrored(op) != TileOp::none && emit(straight, mirrored(op), type);
    }

    void emit_choose(ValueId mask, ValueId x, ValueId y);
    std::uint32_t slot_of(ValueId id);
    void emit_end(const SegmentEnd& end);
    void put_first(Form form);
    void fuse();
    void emit_accumulation(const SegmentEnd& end, TypeId type);
};

/// A choice is always compiled in the same way: the mask and one of the operands in the tiles A and
/// B, the other operand (`outside`) in memory or a constant if it is a number there, else in
/// scratch.
void Emitter::emit_choose(ValueId mask, ValueId x, ValueId y) {
    const TypeId type = type_of(x) == TypeId::boolean ? lane() : type_of(x);
    const bool y_outside = is_addressable(y) || !is_addressable(x);
    const ValueId outside = y_outside ? y : x;
    const ValueId inside = y_outside ? x : y;
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
        if (local_of(outside) == nullptr) slots_[slot] = kNoValue;
    } else if (sources_[outside].form == TileSource::Form::array) {
        move(pick(a_chooses_b_or_memory, a_chooses_memory_or_b, b_chooses_a_or_memory,
                  b_chooses_memory_or_a));
        touch(sources_[outside]);
    } else {
        require(pick(a_chooses_b_or_constant, a_chooses_constant_or_b, b_chooses_a_or_constant,
                     b_chooses_constant_or_a),
                TileOp::none, type);
        touch(sources_[outside]);
    }
}

/// A scratch slot that holds the value: its own, into which it is spilled if need be; for a bool
/// from memory, one that it is loaded into.
std::uint32_t Emitter::slot_of(ValueId id) {
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
    const TypeId type = type_of(segment_.root);
    const Form prefetch = end.prefetched.size() == 1 ? Form::prefetch_alone : Form::prefetch;
    for (const ArrayId array : end.prefetched) {
        put_first(prefetch);
        program_.arrays.push_back({0, array});
    }
    if (end.fold != TileOp::none) return emit_accumulation(end, type);
    const bool is_mask = type == TypeId::boolean;
    require(is_mask       ? Form::store_bools_last
            : end.streams ? Form::stream_last
                          : Form::store_last,
            TileOp::none, is_mask ? lane() : type);
    program_.arrays.push_back({last(), end.array});
    program_.touched.push_back({end.array, is_mask ? 1 : segment_.lane_bytes, false});
}

void Emitter::put_first(Form form) {
    program_.code.insert(program_.code.begin(),
                         {kernels_.find(form, TileOp::none, lane()), nullptr});
    program_.kinds.insert(program_.kinds.begin(), {form, TileOp::none, lane()});
    for (auto* const patches : {&program_.arrays, &program_.constants, &program_.spills})
        for (Patch& patch : *patches) ++patch.instruction;
}

/// Replaces sequences of instructions by one function each. Code is entered at its first
/// instruction; only an accumulation in B jumps to its second one, and the first, `reload_b`, is
/// part of no sequence.
void Emitter::fuse() {
    const TypeId lane = segment_.lane_bytes == 4 ? TypeId::float32 : TypeId::float64;
    if (segment_.lane_bytes < 4) return;
    const std::span<Instruction> code = program_.code;
    for (std::size_t i = 0, length; i < code.size(); i += length)
        if (const TileFunction fused =
                kernels_.fuse(code.data() + i, code.size() - i, lane, &length))
            code[i].function = fused;
}

void Emitter::emit_accumulation(const SegmentEnd& end, TypeId type) {
    const TypeId lanes = type == TypeId::boolean ? lane() : type;
    if (end.neutral != nullptr) require(Form::keep_valid, TileOp::none, lanes, end.neutral);
    const bool in_b = !uses_b_ && emit(Form::accumulate_in_b, end.fold, lanes);
    if (in_b) {
        put_first(Form::reload_b);
        program_.accumulators.push_back(0);
    } else {
        require(Form::accumulate_last, end.fold, lanes);
    }
    program_.accumulators.push_back(last());
}

} // namespace

TileProgram compile_segment(const KernelTable& kernels, const Values& values,
                            const Segment& segment, std::span<const TileSource> sources,
                            const SegmentEnd& end) {
    return Emitter(kernels, values, segment, sources).run(end);
}

} // namespace purview::engine
