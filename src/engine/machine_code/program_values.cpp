#include "engine/machine_code/program_values.hpp"

#include "dtype/type_ids.hpp"

#include <utility>

namespace purview::inline v0_1::engine {

bool commutes(TileOp op) noexcept {
    switch (op) {
    case TileOp::add:
    case TileOp::multiply:
    case TileOp::equal:
    case TileOp::not_equal:
    case TileOp::logical_and:
    case TileOp::logical_or:
    case TileOp::logical_xor: return true;
    default: return false;
    }
}

namespace {

/// Follows the instructions of a program, and notes which values A, B and scratch hold.
class Reader {
public:
    explicit Reader(const ThreadedCode& program)
        : program_(program), targets_(program.code.size(), kNone), wide_(program.lane_bytes == 8) {
        for (const Patch& patch : program.arrays) targets_[patch.instruction] = patch.target;
        for (const Patch& patch : program.constants)
            targets_[patch.instruction] = kConstants + patch.target;
        for (const Patch& patch : program.spills) targets_[patch.instruction] = patch.target;
        scratch_.resize(program.spill_slots, kNone);
    }

    std::optional<ProgramValues> run() {
        for (at_ = 0; at_ < program_.kinds.size(); ++at_)
            if (!read(program_.kinds[at_])) return std::nullopt;
        out_.end = program_.kinds.back();
        out_.end_instruction = at_ - 1;
        return std::move(out_);
    }

private:
    using Kind = ProgramValues::Kind;
    using Value = ProgramValues::Value;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kConstants = 1u << 30; ///< their targets come after arrays

    bool read(const InstructionKind& kind) {
        switch (kind.form) {
        case Form::load_a: a_ = operand(Kind::array); return true;
        case Form::load_b: b_ = operand(Kind::array); return true;
        case Form::load_bools_a: a_ = operand(Kind::bools); return true;
        case Form::load_bools_b: b_ = operand(Kind::bools); return true;
        case Form::constant_a: a_ = operand(Kind::constant); return true;
        case Form::constant_b: b_ = operand(Kind::constant); return true;
        case Form::reload_a: a_ = scratch(); return true;
        case Form::reload_b:
            if (targets_[at_] != kNone) b_ = scratch(); // else the accumulator
            return true;
        case Form::spill_a: scratch() = a_; return true;
        case Form::spill_b: scratch() = b_; return true;
        case Form::a_to_b: b_ = a_; return true;
        case Form::b_to_a: a_ = b_; return true;
        case Form::swap: std::swap(a_, b_); return true;
        case Form::prefetch:
        case Form::prefetch_alone: out_.prefetches.push_back(at_); return true;
        case Form::keep_valid:
            a_ = add({Kind::valid, TileOp::none, kind.lane, a_, operand(Kind::constant)});
            return true;
        case Form::unary: return unary(kind);
        case Form::a_op_b: return binary(kind, a_, b_, false);
        case Form::b_op_a: return binary(kind, a_, b_, true);
        case Form::a_op_memory: return binary(kind, a_, operand(Kind::array), false);
        case Form::memory_op_a: return binary(kind, a_, operand(Kind::array), true);
        case Form::a_op_constant: return binary(kind, a_, operand(Kind::constant), false);
        case Form::constant_op_a: return binary(kind, a_, operand(Kind::constant), true);
        case Form::a_op_scratch: return binary(kind, a_, scratch(), false);
        case Form::scratch_op_a: return binary(kind, a_, scratch(), true);
        case Form::a_chooses_b_or_memory: return choose(a_, b_, operand(Kind::array));
        case Form::a_chooses_memory_or_b: return choose(a_, operand(Kind::array), b_);
        case Form::b_chooses_a_or_memory: return choose(b_, a_, operand(Kind::array));
        case Form::b_chooses_memory_or_a: return choose(b_, operand(Kind::array), a_);
        case Form::a_chooses_b_or_constant: return choose(a_, b_, operand(Kind::constant));
        case Form::a_chooses_constant_or_b: return choose(a_, operand(Kind::constant), b_);
        case Form::b_chooses_a_or_constant: return choose(b_, a_, operand(Kind::constant));
        case Form::b_chooses_constant_or_a: return choose(b_, operand(Kind::constant), a_);
        case Form::a_chooses_b_or_scratch: return choose(a_, b_, scratch());
        case Form::a_chooses_scratch_or_b: return choose(a_, scratch(), b_);
        case Form::b_chooses_a_or_scratch: return choose(b_, a_, scratch());
        case Form::b_chooses_scratch_or_a: return choose(b_, scratch(), a_);
        case Form::store_bools_last:
            out_.result = add({Kind::binary, TileOp::logical_and, kind.lane, a_, bits(1)});
            return true;
        case Form::store_last:
        case Form::stream_last:
        case Form::accumulate_last:
        case Form::accumulate_in_b: out_.result = a_; return true;
        }
        return false;
    }

    std::uint32_t& scratch() { return scratch_[targets_[at_]]; }

    std::uint32_t add(const Value& value) {
        out_.values.push_back(value);
        return static_cast<std::uint32_t>(out_.values.size() - 1);
    }

    /// The value at the operand of this instruction. Equal operands are one value.
    std::uint32_t operand(Kind kind) {
        for (std::uint32_t i = 0; i < out_.values.size(); ++i) {
            const Value& other = out_.values[i];
            if (other.kind == kind && is_same_operand(other.instruction)) return i;
        }
        Value value{kind};
        value.lane = program_.kinds[at_].lane;
        value.instruction = at_;
        return add(value);
    }
    bool is_same_operand(std::uint32_t instruction) const {
        const void* const fixed = program_.code[at_].operand;
        return targets_[instruction] == targets_[at_] &&
               program_.code[instruction].operand == fixed &&
               (targets_[at_] != kNone || fixed != nullptr);
    }

    std::uint32_t bits(std::uint64_t bits) {
        for (std::uint32_t i = 0; i < out_.values.size(); ++i)
            if (out_.values[i].kind == Kind::bits && out_.values[i].bits == bits) return i;
        Value value{Kind::bits};
        value.bits = bits;
        return add(value);
    }

    bool binary(const InstructionKind& kind, std::uint32_t x, std::uint32_t y, bool reversed) {
        if (reversed && !commutes(kind.op)) std::swap(x, y);
        a_ = add({Kind::binary, kind.op, kind.lane, x, y});
        return true;
    }

    bool unary(const InstructionKind& kind) {
        const bool floating = is_floating(kind.lane);
        const std::uint64_t sign = std::uint64_t{1} << (wide_ ? 63 : 31);
        switch (kind.op) {
        case TileOp::square: a_ = add({Kind::binary, TileOp::multiply, kind.lane, a_, a_}); break;
        case TileOp::negative:
            a_ = floating ? add({Kind::binary, TileOp::logical_xor, kind.lane, a_, bits(sign)})
                          : add({Kind::binary, TileOp::subtract, kind.lane, bits(0), a_});
            break;
        case TileOp::absolute:
            if (floating)
                a_ = add({Kind::binary, TileOp::logical_and, kind.lane, a_, bits(sign - 1)});
            else if (!is_unsigned(kind.lane))
                a_ = add({Kind::unary, TileOp::absolute, kind.lane, a_});
            break;
        case TileOp::logical_not:
            a_ = add({Kind::binary, TileOp::logical_xor, kind.lane, a_,
                      bits(wide_ ? UINT64_MAX : UINT32_MAX)});
            break;
        case TileOp::square_root:
        case TileOp::floor:
        case TileOp::ceil:
        case TileOp::rint:
        case TileOp::trunc: a_ = add({Kind::unary, kind.op, kind.lane, a_}); break;
        default: return false;
        }
        return true;
    }

    bool choose(std::uint32_t mask, std::uint32_t x, std::uint32_t y) {
        a_ = add({Kind::choose, TileOp::none, program_.kinds[at_].lane, x, y, mask});
        return true;
    }

    const ThreadedCode& program_;
    ProgramValues out_;
    std::vector<std::uint32_t> targets_; ///< what the operand of each instruction refers to
    std::vector<std::uint32_t> scratch_; ///< the value in each slot
    bool wide_;
    std::uint32_t at_ = 0; ///< the instruction being read
    std::uint32_t a_ = 0;
    std::uint32_t b_ = 0;
};

} // namespace

std::optional<ProgramValues> values_of(const ThreadedCode& program) {
    return Reader(program).run();
}

} // namespace purview::engine
