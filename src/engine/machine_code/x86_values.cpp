#if defined(PURVIEW_JIT)

# include "engine/machine_code/x86_values.hpp"

# include "dtype/type_ids.hpp"

# include <array>
# include <cstddef>
# include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// As many lanes as are in it are valid where it is read from before its middle.
constexpr auto kPartMasks = [] {
    std::array<std::int32_t, 64> masks{};
    for (std::size_t i = 0; i < 32; ++i) masks[i] = -1;
    return masks;
}();

} // namespace

// --- registers ----------------------------------------------------------------------------------

std::uint32_t X86Values::accumulators() const {
    if (!program_.accumulates() || counts()) return 0;
    const bool floating = is_floating(program_.end.lane);
    return static_cast<std::uint32_t>(accumulator_lanes(floating, program_.lane_bytes) *
                                      program_.lane_bytes) /
           static_cast<std::uint32_t>(vector_bytes_);
}

bool X86Values::plan() {
    RegisterNeeds needs{wide_ ? 31u : 15u, wide_};
    needs.registers -= accumulators();
    if (has_valid() && !wide_) --needs.registers;
    if (!has_valid() && !wide_) needs.of_partial_vector = 2;
    std::optional<RegisterPlan> plan = plan_registers(values_, needs);
    if (!plan) return false;
    plan_ = std::move(*plan);
    takes_rest_ = !has_valid() && (wide_ || find_partial_registers());
    return true;
}

/// The register of a value's k-th vector, or of a constant.
X86Values::Xmm X86Values::held(std::uint32_t id, int k) const {
    const bool constant = values_.values[id].is_constant();
    return vector(accumulators() + plan_.registers[id] +
                  (constant ? 0u : static_cast<std::uint32_t>(k)));
}

bool X86Values::find_partial_registers() {
    std::array<bool, 15> taken{}; // the last one is spare already
    for (std::uint32_t i = 0; i < accumulators(); ++i) taken[i] = true;
    for (std::uint32_t i = 0; i < values_.values.size(); ++i)
        if (plan_.registers[i] != RegisterPlan::kNone)
            taken[static_cast<std::size_t>(held(i, 0).getIdx())] = true;
    for (std::uint32_t i = 0; i < taken.size(); ++i)
        if (!taken[i]) partial_registers_.push_back(i);
    return partial_registers_.size() >= 2;
}

void X86Values::load_constants(bool of_rows_alone) {
    for (std::uint32_t i = 0; i < values_.values.size(); ++i) {
        const Value& value = values_.values[i];
        if (plan_.registers[i] == RegisterPlan::kNone) continue;
        if (value.kind == Kind::repeated || (value.kind == Kind::constant && !of_rows_alone)) {
            load_base(value.instruction);
            broadcast(held(i, 0), ptr[rax]);
        } else if (value.kind == Kind::literal && !of_rows_alone) {
            mov(rax, value.bits);
            const Xbyak::Xmm narrow(held(i, 0).getIdx() < 16 ? held(i, 0).getIdx()
                                                             : spare().getIdx());
            vmovq(narrow, rax);
            broadcast(held(i, 0), narrow);
        }
    }
}

// --- memory -------------------------------------------------------------------------------------

void X86Values::prepare_partial() {
    mov(part_lanes(), r11);
    if (wide_) return make_valid_masks(r11);
    shl(r11, of_8_ ? 3 : 2);
    mov(rax, reinterpret_cast<std::uintptr_t>(kPartMasks.data() + kPartMasks.size() / 2));
    sub(rax, r11);
    mov(part_masks(), rax);
}
void X86Values::begin_partial(int vector_of_tile) {
    if (wide_) return;
    mov(rax, part_masks());
    vmovups(partial_mask(), ptr[rax + vector_of_tile * vector_bytes_]);
}

void X86Values::load(const Xmm& to, std::uint32_t instruction, int vector_of_tile) {
    const Xbyak::Address from = place(instruction, vector_of_tile, false);
    if (!partial_) return vmovups(to, from);
    if (!wide_) {
        broadcast(partial_spare(), from);
        of_8_ ? vmaskmovpd(to, partial_mask(), from) : vmaskmovps(to, partial_mask(), from);
        return choose(to, partial_mask(), to, partial_spare());
    }
    broadcast(to, place(instruction, 0, false));
    const Xmm valid = to | valid_mask(vector_of_tile);
    of_8_ ? vmovupd(valid, from) : vmovups(valid, from);
}

void X86Values::load_some_bools(const Xmm& to, std::uint32_t instruction, int vector_of_tile) {
    const Xbyak::Reg64 base = base_register(instruction);
    const Xbyak::Address from = byte_place(base, vector_of_tile * lanes());
    if (!partial_) return load_bools(to, to, from);
    if (wide_) {
        movzx(eax, byte[base + index()]);
        of_8_ ? vpbroadcastq(to, rax) : vpbroadcastd(to, eax);
        return load_bools(to, to | valid_mask(vector_of_tile),
                          place(instruction, vector_of_tile, true));
    }
    const Xbyak::Xmm bytes(to.getIdx());
    vpbroadcastb(bytes, from);
    for_each_part_lane(vector_of_tile, 1, [&](int i) {
        const int lane = vector_of_tile * lanes() + i;
        vpinsrb(bytes, bytes, byte_place(base, lane), static_cast<std::uint8_t>(i));
    });
    load_bools(to, to, bytes);
}

void X86Values::store_some_bools(const Xmm& result, int vector_of_tile) {
    const Xbyak::Reg64 base = base_register(program_.last());
    const Xbyak::Address to = byte_place(base, vector_of_tile * lanes());
    if (!partial_) return store_bools(to, result);
    if (wide_) return store_bools(to | valid_mask(vector_of_tile), result);
    pack_bools(result);
    const Xbyak::Xmm bytes(spare().getIdx());
    for_each_part_lane(vector_of_tile, 0, [&](int i) {
        const int lane = vector_of_tile * lanes() + i;
        vpextrb(byte_place(base, lane), bytes, static_cast<std::uint8_t>(i));
    });
}

template <typename F>
void X86Values::for_each_part_lane(int vector_of_tile, int first, F f) {
    Xbyak::Label no_more;
    for (int i = first; i < lanes(); ++i) {
        cmp(part_lanes(), vector_of_tile * lanes() + i);
        jbe(no_more, T_NEAR);
        f(i);
    }
    L(no_more);
}

void X86Values::store(const Xmm& result, int vector_of_tile, bool streams) {
    Xbyak::Address to = place(program_.last(), vector_of_tile, false);
    if (streams) return vmovntps(to, result);
    if (partial_ && !wide_)
        return of_8_ ? vmaskmovpd(to, partial_mask(), result)
                     : vmaskmovps(to, partial_mask(), result);
    if (partial_) to = to | valid_mask(vector_of_tile);
    of_8_ ? vmovupd(to, result) : vmovups(to, result);
}

// --- the end ------------------------------------------------------------------------------------

void X86Values::emit_vectors(int first, int count, int before, bool streams) {
    for (std::uint32_t i = 0; i < values_.values.size(); ++i)
        if (plan_.used[i] && !plan_.deferred[i]) emit_value(i, first, count);
    for (int k = 0; k < count; ++k) emit_end(held(values_.result, k), first + k, before, streams);
}

void X86Values::emit_end(const Xmm& result, int vector_of_tile, int before, bool streams) {
    if (counts()) {
        if (partial_) keep_some(spare(), result, vector_of_tile);
        count_true(partial_ ? spare() : result, eax);
        return add(r8, rax);
    }
    if (program_.accumulates()) return emit_accumulation(result, vector_of_tile, before);
    if (program_.end.form == Form::store_bools_last)
        return store_some_bools(result, vector_of_tile);
    store(result, vector_of_tile, streams);
}

void X86Values::keep_some(const Xmm& to, const Xmm& x, int vector_of_tile) {
    if (!wide_) return vpand(to, x, partial_mask());
    const Xmm valid = to | valid_mask(vector_of_tile) | T_z;
    of_8_ ? vmovapd(valid, x) : vmovaps(valid, x);
}

void X86Values::emit_accumulation(const Xmm& result, int vector_of_tile, int before) {
    const auto number = static_cast<std::uint32_t>(before + vector_of_tile) % accumulators();
    const Xmm to = accumulator(number);
    if (!partial_) return accumulate(to, to, result);
    if (!wide_) {
        accumulate(partial_spare(), to, result);
        return choose(to, partial_mask(), partial_spare(), to);
    }
    accumulate(spare(), to, result);
    const Xmm valid = to | valid_mask(vector_of_tile);
    of_8_ ? vmovapd(valid, spare()) : vmovaps(valid, spare());
}

/// Of two NaN, a sum or a product is the first one. Threaded code exchanges them where the
/// accumulator is in memory.
void X86Values::accumulate(const Xmm& to, const Xmm& before, const Xmm& result) {
    const bool exchanged = program_.end.form == Form::accumulate_last &&
                           (program_.end.op == TileOp::add || program_.end.op == TileOp::multiply);
    binary(accumulation(), to, exchanged ? result : before, exchanged ? before : result);
}

// --- values -------------------------------------------------------------------------------------

/// Calls f with y: in a register, or in memory.
template <typename F>
void X86Values::with_y(std::uint32_t id, int first, int k, F f) {
    const Value& value = values_.values[id];
    if (value.kind == Kind::array && plan_.deferred[id]) {
        if (!partial_) return f(place(value.instruction, first + k, false));
        load(spare(), value.instruction, first + k);
        return f(spare());
    }
    if (!value.is_constant() || plan_.registers[id] != RegisterPlan::kNone) return f(held(id, k));
    load_base(value.instruction);
    if (wide_) return f(ptr_b[rax]);
    broadcast(spare(), ptr[rax]);
    f(spare());
}

void X86Values::emit_value(std::uint32_t id, int first, int count) {
    const Value& value = values_.values[id];
    if (value.is_constant()) return;
    for (int k = 0; k < count; ++k) {
        const Xmm to = held(id, k);
        switch (value.kind) {
        case Kind::array: load(to, value.instruction, first + k); break;
        case Kind::bools: load_some_bools(to, value.instruction, first + k); break;
        case Kind::unary: unary(value, to, held(value.x, k)); break;
        case Kind::binary:
            with_y(value.y, first, k,
                   [&](const Operand& y) { binary(value, to, held(value.x, k), y); });
            break;
        case Kind::choose: emit_choice(value, to, first, k); break;
        default: emit_valid(value, to, first + k, k); break;
        }
    }
}

void X86Values::emit_choice(const Value& value, const Xmm& to, int first, int k) {
    const Xmm x = held(value.x, k);
    const Xmm y = held(value.y, k);
    if (!plan_.deferred[value.mask]) return choose(to, held(value.mask, k), x, y);
    const Value& comparison = values_.values[value.mask];
    with_y(comparison.y, first, k, [&](const Operand& other) {
        compare_to_mask(comparison, held(comparison.x, k), other);
    });
    choose_by_mask(to, spare_mask(), x, y);
}

void X86Values::prepare_valid() {
    mov(r11, ptr[rsi + static_cast<int>(offsetof(TileState, valid_lanes))]);
    if (!wide_) {
        vmovq(Xbyak::Xmm(valid_lanes().getIdx()), r11);
        return broadcast(valid_lanes(), Xbyak::Xmm(valid_lanes().getIdx()));
    }
    make_valid_masks(r11);
}

void X86Values::make_valid_masks(const Xbyak::Reg64& lanes_with_elements) {
    mov(rax, -1);
    bzhi(rax, rax, lanes_with_elements);
    for (int i = 0; i < kTileVectors; ++i) {
        of_8_ ? kmovb(valid_mask(i), eax) : kmovw(valid_mask(i), eax);
        shr(rax, lanes());
    }
}

void X86Values::emit_valid(const Value& value, const Xmm& to, int vector_of_tile, int k) {
    const Xmm x = held(value.x, k);
    const Xmm y = held(value.y, k);
    if (wide_) return choose_by_mask(to, valid_mask(vector_of_tile), x, y);
    const auto numbers = ptr[rip + numbers_ + vector_of_tile * vector_bytes_];
    of_8_ ? vpcmpgtq(spare(), valid_lanes(), numbers) : vpcmpgtd(spare(), valid_lanes(), numbers);
    choose(to, spare(), x, y);
}

void X86Values::emit_data() {
    if (!has_valid() || wide_) return;
    align(32);
    L(numbers_);
    for (int i = 0; i < kTileVectors * lanes(); ++i)
        of_8_ ? dq(static_cast<std::uint64_t>(i)) : dd(static_cast<std::uint32_t>(i));
}

} // namespace purview::engine

#endif
