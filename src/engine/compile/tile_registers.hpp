#pragma once

#include "engine/compile/tile_operations.hpp"
#include "engine/compile/tile_program.hpp"

#include <purview/base/config.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {

/// The tiles A and B that the code of a segment works on, and the scratch that holds what does not
/// fit into them: which values are where, and the instructions that move them. A value that is
/// needed later is saved before it is overwritten.
class TileRegisters {
public:
    TileRegisters(const KernelTable& kernels, SegmentValues values) : kernels_(kernels) {
        program_.lane_bytes = values.lane_bytes;
        program_.values = std::move(values);
        locals_.resize(this->values().size(), {0, kNone});
        for (const Value& value : this->values())
            value.for_each_operand([&](Number operand) { ++locals_[operand].uses; });
        ++locals_[program_.values.result].uses;
    }

protected:
    using Value = SegmentValues::Value;
    using Number = SegmentValues::Number;
    using Kind = SegmentValues::Kind;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr Number kNoNumber = SegmentValues::kNone;

    struct Local {
        std::uint32_t uses;  // still to come
        std::uint32_t spill; // slot, or kNone
    };

    std::vector<Value>& values() { return program_.values.values; }
    /// Null for what is in memory, or a literal.
    Local* local_of(Number id) {
        return id != kNoNumber && values()[id].is_computed() ? &locals_[id] : nullptr;
    }
    TypeId lane() const { return mask_lane(program_.lane_bytes); }

    // --- instructions ---------------------------------------------------------------------------

    bool emit(Form form, TileOp op, TypeId lane, const void* operand = nullptr) {
        const TileFunction function = kernels_.find(form, op, lane);
        if (function == nullptr) return false;
        uses_b_ = uses_b_ || !preserves_b(form);
        program_.code.push_back({function, operand});
        program_.end = {form, op, lane};
        return true;
    }
    void require(Form form, TileOp op, TypeId lane, const void* operand = nullptr) {
        [[maybe_unused]] const bool found = emit(form, op, lane, operand);
        PURVIEW_ASSERT(found);
    }
    std::uint32_t last() const { return program_.last(); }

    /// Records that the operand of the last instruction is this value.
    void touch(Number id) {
        Value& value = values()[id];
        if (value.kind == Kind::literal) {
            program_.code.back().operand = place_of_literal(value.bits);
            return;
        }
        const bool first = value.instruction == kNoNumber;
        if (first) value.instruction = static_cast<Number>(last());
        if (value.kind == Kind::constant) {
            program_.constants.push_back({last(), value.source});
            return;
        }
        program_.arrays.push_back({last(), value.source});
        if (!first) return;
        const std::uint32_t bytes = value.is_mask() ? 1 : program_.lane_bytes;
        program_.touched.push_back({value.source, bytes, value.kind == Kind::repeated});
    }

    // --- the two tiles --------------------------------------------------------------------------

    bool is_live(Number id) {
        if (id == kNoNumber) return false;
        const Local* const local = local_of(id);
        return local != nullptr && local->uses > 0 && local->spill == kNone;
    }

    std::uint32_t take_slot(Number owner) {
        const auto free = std::ranges::find(slots_, kNoNumber);
        const auto slot = static_cast<std::uint32_t>(free - slots_.begin());
        if (free == slots_.end())
            slots_.push_back(owner);
        else
            *free = owner;
        program_.spill_slots = static_cast<std::uint32_t>(slots_.size());
        return slot;
    }

    void spill(Number id, Form form) {
        Local& local = *local_of(id);
        local.spill = take_slot(id);
        require(form, TileOp::none, lane());
        program_.spills.push_back({last(), local.spill});
    }
    /// Called before A or B is overwritten: spills its value if that is needed later and lies
    /// nowhere else.
    void save_a() {
        if (is_live(a_) && a_ != b_) spill(a_, Form::spill_a);
    }
    void save_b() {
        if (is_live(b_) && a_ != b_) spill(b_, Form::spill_b);
    }

    /// Counts down the uses of a value; after the last one its scratch slot is free.
    void consume(Number id) {
        Local* const local = local_of(id);
        if (local == nullptr) return;
        if (--local->uses == 0 && local->spill != kNone) {
            slots_[local->spill] = kNoNumber;
            local->spill = kNone;
        }
    }

    /// Called before an operation overwrites A: spills the value of A if it has more uses than the
    /// `uses_now` of this operation, and lies nowhere else.
    void preserve_a(std::uint32_t uses_now) {
        const Local* const local = local_of(a_);
        if (local != nullptr && local->spill == kNone && local->uses > uses_now && a_ != b_)
            spill(a_, Form::spill_a);
    }

    void move(Form form) { require(form, TileOp::none, lane()); }

    /// A gets the value; what was there moves to B if that is free, else to scratch.
    void place_in_a(Number id) {
        if (a_ == id) return;
        if (b_ == id) {
            const bool keep = is_live(a_);
            move(keep ? Form::swap : Form::b_to_a);
            b_ = std::exchange(a_, id);
            if (!keep) b_ = id;
            return;
        }
        if (is_live(a_)) {
            if (is_live(b_)) {
                save_a();
            } else {
                move(Form::a_to_b);
                b_ = a_;
            }
        }
        load(id, true);
    }

    /// Brings `a` into A and `b` into B.
    void place_in_a_and_b(Number a, Number b) {
        if (a_ == b && b_ == a) {
            move(Form::swap);
            std::swap(a_, b_);
        } else if (b_ == b) {
            if (a_ == a) return;
            save_a();
            load(a, true);
        } else if (a_ == b) {
            save_b();
            move(Form::a_to_b);
            b_ = b;
            load(a, true);
        } else {
            if (a_ != a) {
                save_a();
                load(a, true);
            }
            save_b();
            load(b, false);
        }
    }

    /// Loads into a tile whose value is saved or no longer needed.
    void load(Number id, bool into_a) {
        if (const Local* const local = local_of(id); local == nullptr) {
            load_source(id, into_a);
        } else if (id == (into_a ? b_ : a_)) {
            move(into_a ? Form::b_to_a : Form::a_to_b);
        } else {
            PURVIEW_ASSERT(local->spill != kNone);
            move(into_a ? Form::reload_a : Form::reload_b);
            program_.spills.push_back({last(), local->spill});
        }
        (into_a ? a_ : b_) = id;
    }

    void load_source(Number id, bool into_a) {
        const Value& value = values()[id];
        const Form form = value.is_constant() ? (into_a ? Form::constant_a : Form::constant_b)
                          : value.kind == Kind::bools
                              ? (into_a ? Form::load_bools_a : Form::load_bools_b)
                              : (into_a ? Form::load_a : Form::load_b);
        require(form, TileOp::none, value.lane);
        touch(id);
    }

    const KernelTable& kernels_;
    TileProgram program_;
    boost::container::small_vector<Local, 64> locals_;
    boost::container::small_vector<Number, 4> slots_;
    Number a_ = kNoNumber;
    Number b_ = kNoNumber;
    bool uses_b_ = false;
};

} // namespace purview::engine
