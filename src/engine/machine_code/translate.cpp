// Defines engine/machine_code/threaded_code.hpp.

#include "dtype/type_ids.hpp"
#include "engine/machine_code/threaded_code.hpp"

#if defined(PURVIEW_JIT)

# include "engine/machine_code/x86_operands.hpp"

# include <cstddef>
# include <memory>
# include <string_view>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::size_t kMostCodeBytes = std::size_t{32} << 10;

class Translator : X86Operands {
public:
    Translator(const ThreadedCode& program, const ProgramValues& values, bool wide,
               std::byte* memory)
        : X86Operands(kMostCodeBytes, memory, wide, program, values), memory_(memory) {}

    /// Whether the code takes any number of lanes, and not only those of whole tiles.
    bool takes_rest() const { return wide_ && !has_valid(); }

    /// The code; nothing if there is none.
    std::span<const std::byte> run() {
        if (!is_supported()) return {};
        RegisterNeeds needs{wide_ ? 31u : 15u, wide_};
        needs.registers -= accumulators();
        if (has_valid() && !wide_) --needs.registers;
        std::optional<RegisterPlan> plan = plan_registers(values_, needs);
        if (!plan) return {};
        plan_ = std::move(*plan);
        emit_function();
        return {memory_, getSize()};
    }

private:
    bool is_supported() const {
        if (!std::ranges::all_of(values_.values, [&](const Value& v) { return supports(v); }))
            return false;
        return !values_.accumulates() || counts() ||
               supports({Kind::binary, values_.end.op, values_.end.lane});
    }
    bool has_valid() const {
        return std::ranges::find(values_.values, Kind::valid, &Value::kind) != values_.values.end();
    }
    bool streams() const { return values_.end.form == Form::stream_last; }
    bool walks_rows() const { return !values_.accumulates(); }
    bool counts() const { return values_.accumulates() && values_.end.op == TileOp::count; }
    /// Registers that hold the accumulator.
    std::uint32_t accumulators() const {
        if (!values_.accumulates() || counts()) return 0;
        const bool floating = is_floating(values_.end.lane);
        return static_cast<std::uint32_t>(accumulator_lanes(floating, program_.lane_bytes) *
                                          program_.lane_bytes) /
               static_cast<std::uint32_t>(vector_bytes_);
    }
    Xmm accumulator(std::uint32_t index) const { return vector(index); }

    // --- the function ---------------------------------------------------------------------------

    void emit_function() {
        Xbyak::Label nothing;
        endbr64();
        test(rcx, rcx);
        jz(nothing, T_NEAR);
        choose_bases(counts() || walks_rows(), streams());
        push_saved();
        if (has_valid()) prepare_valid();
        if (takes_rest()) { // the masks of the last, partial tile
            mov(r11d, ecx);
            and_(r11d, kTileVectors * lanes() - 1);
            make_valid_masks(r11);
        }
        for (std::uint32_t i = 0; i < accumulators(); ++i)
            vmovups(accumulator(i), ptr[r8 + static_cast<int>(i) * vector_bytes_]);
        if (counts()) mov(r8, ptr[r8]);
        load_bases();
        make_indexes();
        Xbyak::Label row;
        Xbyak::Label plain;
        Xbyak::Label done;
        L(row);
        load_constants();
        if (streams()) {
            cmp(byte[rsi + kStreams], 0);
            je(plain, T_NEAR);
            lea(rax, place(values_.end_instruction, 0, false));
            test(rax, vector_bytes_ - 1);
            jnz(plain, T_NEAR);
            emit_loop(true, done);
            jmp(done, T_NEAR);
        }
        L(plain);
        emit_loop(false, done);
        L(done);
        if (takes_rest()) emit_rest();
        if (walks_rows()) emit_next_row(row);
        for (std::uint32_t i = 0; i < accumulators(); ++i)
            vmovups(ptr[r9 + static_cast<int>(i) * vector_bytes_], accumulator(i));
        if (counts()) mov(ptr[r9], r8);
        pop_saved();
        vzeroupper();
        L(nothing);
        ret();
        emit_data();
    }

    /// Moves all bases to the next row, if there is one.
    void emit_next_row(Xbyak::Label& row) {
        Xbyak::Label finished;
        cmp(r8, 1);
        jbe(finished, T_NEAR);
        dec(r8);
        for_each_base([&](std::uint32_t instruction, int reg) {
            const auto stride = ptr[r9 + static_cast<int>(instruction * sizeof(std::ptrdiff_t))];
            if (reg >= 0) return add(Xbyak::Reg64(reg), stride);
            mov(rax, stride);
            add(operand_of(instruction), rax);
        });
        xor_(Xbyak::Reg32(index().getIdx()), Xbyak::Reg32(index().getIdx()));
        jmp(row, T_NEAR);
        L(finished);
    }

    void load_constants() {
        for (std::uint32_t i = 0; i < values_.values.size(); ++i) {
            const Value& value = values_.values[i];
            if (plan_.registers[i] == RegisterPlan::kNone) continue;
            if (value.kind == Kind::constant) {
                load_base(value.instruction);
                broadcast(held(i, 0), ptr[rax]);
            } else if (value.kind == Kind::bits) {
                mov(rax, value.bits);
                const Xbyak::Xmm narrow(held(i, 0).getIdx() < 16 ? held(i, 0).getIdx()
                                                                 : spare().getIdx());
                vmovq(narrow, rax);
                broadcast(held(i, 0), narrow);
            }
        }
    }

    // --- the loop -------------------------------------------------------------------------------

    void emit_loop(bool streams, Xbyak::Label& done) {
        const auto count = accumulators();
        const int tiles = count > kTileVectors ? 2 : 1;
        Xbyak::Label again;
        Xbyak::Label second;
        if (tiles == 2) {
            // The first tile may be the second half of an accumulator.
            test(index(), kTileVectors * lanes());
            jnz(second, T_NEAR);
        }
        if (takes_rest()) {
            cmp(index(), end());
            jae(done, T_NEAR);
        }
        align(32);
        L(again);
        for (int tile = 0; tile < tiles; ++tile) {
            if (tile == 1) L(second);
            for (const std::uint32_t instruction : values_.prefetches) prefetch(instruction);
            const int vectors = static_cast<int>(plan_.vectors);
            for (int first = 0; first < kTileVectors; first += vectors)
                emit_vectors(first, tile * kTileVectors, streams);
            add(index(), kTileVectors * lanes());
            cmp(index(), end());
            if (tile + 1 == tiles)
                jb(again, T_NEAR);
            else
                jae(done, T_NEAR);
        }
    }

    /// The last, partial tile. Lanes without an element get the first one, so that they raise no
    /// exception of their own.
    void emit_rest() {
        Xbyak::Label none;
        rest_ = true;
        for (int first = 0; first < kTileVectors; first += static_cast<int>(plan_.vectors)) {
            const Xbyak::Opmask mask = valid_mask(first);
            of_8_ ? kortestb(mask, mask) : kortestw(mask, mask);
            jz(none, T_NEAR);
            emit_vectors(first, 0, false);
        }
        L(none);
        rest_ = false;
    }

    void load(const Xmm& to, std::uint32_t instruction, int vector_of_tile) {
        if (!rest_) return vmovups(to, place(instruction, vector_of_tile, false));
        broadcast(to, place(instruction, 0, false));
        const Xbyak::Address from = place(instruction, vector_of_tile, false);
        const Xmm valid = to | valid_mask(vector_of_tile);
        of_8_ ? vmovupd(valid, from) : vmovups(valid, from);
    }
    void load_some_bools(const Xmm& to, std::uint32_t instruction, int vector_of_tile) {
        if (!rest_) return load_bools(to, to, place(instruction, vector_of_tile, true));
        movzx(eax, byte[base_register(instruction) + index()]);
        of_8_ ? vpbroadcastq(to, rax) : vpbroadcastd(to, eax);
        load_bools(to, to | valid_mask(vector_of_tile), place(instruction, vector_of_tile, true));
    }

    /// Computes the vectors from `first` of a tile on. `before`: vectors of the accumulator that
    /// belong to tiles before this one.
    void emit_vectors(int first, int before, bool streams) {
        for (std::uint32_t i = 0; i < values_.values.size(); ++i)
            if (plan_.used[i] && !plan_.deferred[i]) emit_value(i, first);
        for (int k = 0; k < static_cast<int>(plan_.vectors); ++k) {
            const Xmm result = held(values_.result, k);
            if (counts()) {
                if (rest_) vmovaps_valid(spare(), result, first + k);
                count_true(rest_ ? spare() : result, eax);
                add(r8, rax);
                continue;
            }
            if (values_.accumulates()) {
                const auto count = accumulators();
                const Xmm to = accumulator(static_cast<std::uint32_t>(before + first + k) % count);
                accumulate(rest_ ? spare() : to, to, result);
                if (rest_)
                    of_8_ ? vmovapd(to | valid_mask(first + k), spare())
                          : vmovaps(to | valid_mask(first + k), spare());
                continue;
            }
            const bool bools = values_.end.form == Form::store_bools_last;
            Xbyak::Address to = place(values_.end_instruction, first + k, bools);
            if (rest_) to = to | valid_mask(first + k);
            if (bools)
                store_bools(to, result);
            else if (streams)
                vmovntps(to, result);
            else
                of_8_ ? vmovupd(to, result) : vmovups(to, result);
        }
    }
    /// to = x in lanes with an element, and zeros.
    void vmovaps_valid(const Xmm& to, const Xmm& x, int vector_of_tile) {
        const Xmm valid = to | valid_mask(vector_of_tile) | T_z;
        of_8_ ? vmovapd(valid, x) : vmovaps(valid, x);
    }

    /// Of two NaN, a sum or a product is the first one. Threaded code exchanges them where the
    /// accumulator is in memory.
    void accumulate(const Xmm& to, const Xmm& before, const Xmm& result) {
        const bool exchanged =
            values_.end.form == Form::accumulate_last &&
            (values_.end.op == TileOp::add || values_.end.op == TileOp::multiply);
        binary({Kind::binary, values_.end.op, values_.end.lane}, to, exchanged ? result : before,
               exchanged ? before : result);
    }

    /// The register of a value's k-th vector, or of a constant.
    Xmm held(std::uint32_t id, int k) const {
        const Kind kind = values_.values[id].kind;
        const bool constant = kind == Kind::constant || kind == Kind::bits;
        return vector(accumulators() + plan_.registers[id] +
                      (constant ? 0u : static_cast<std::uint32_t>(k)));
    }

    /// Calls f with y: in a register, or in memory.
    template <typename F>
    void with_y(std::uint32_t id, int first, int k, F f) {
        const Value& value = values_.values[id];
        if (value.kind == Kind::array && plan_.deferred[id]) {
            if (!rest_) return f(place(value.instruction, first + k, false));
            load(spare(), value.instruction, first + k);
            return f(spare());
        }
        if (value.kind != Kind::constant || plan_.registers[id] != RegisterPlan::kNone)
            return f(held(id, k));
        load_base(value.instruction);
        if (wide_) return f(ptr_b[rax]);
        broadcast(spare(), ptr[rax]);
        f(spare());
    }

    void emit_value(std::uint32_t id, int first) {
        const Value& value = values_.values[id];
        if (value.kind == Kind::constant || value.kind == Kind::bits) return;
        for (int k = 0; k < static_cast<int>(plan_.vectors); ++k) {
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

    void emit_choice(const Value& value, const Xmm& to, int first, int k) {
        const Xmm x = held(value.x, k);
        const Xmm y = held(value.y, k);
        if (!plan_.deferred[value.mask]) return choose(to, held(value.mask, k), x, y);
        const Value& comparison = values_.values[value.mask];
        with_y(comparison.y, first, k, [&](const Operand& other) {
            compare_to_mask(comparison, held(comparison.x, k), other);
        });
        choose_by_mask(to, spare_mask(), x, y);
    }

    // --- lanes with elements --------------------------------------------------------------------

    static Xbyak::Opmask valid_mask(int vector_of_tile) {
        return Xbyak::Opmask(4 + vector_of_tile);
    }
    Xmm valid_lanes() const { return vector(14); }

    void prepare_valid() {
        mov(r11, ptr[rsi + kValidLanes]);
        if (!wide_) {
            vmovq(Xbyak::Xmm(valid_lanes().getIdx()), r11);
            return broadcast(valid_lanes(), Xbyak::Xmm(valid_lanes().getIdx()));
        }
        make_valid_masks(r11);
    }
    void make_valid_masks(const Xbyak::Reg64& lanes_with_elements) {
        mov(rax, -1);
        bzhi(rax, rax, lanes_with_elements);
        for (int i = 0; i < kTileVectors; ++i) {
            of_8_ ? kmovb(valid_mask(i), eax) : kmovw(valid_mask(i), eax);
            shr(rax, lanes());
        }
    }
    void emit_valid(const Value& value, const Xmm& to, int vector_of_tile, int k) {
        const Xmm x = held(value.x, k);
        const Xmm y = held(value.y, k);
        if (wide_) return choose_by_mask(to, valid_mask(vector_of_tile), x, y);
        const auto numbers = ptr[rip + numbers_ + vector_of_tile * vector_bytes_];
        of_8_ ? vpcmpgtq(spare(), valid_lanes(), numbers)
              : vpcmpgtd(spare(), valid_lanes(), numbers);
        choose(to, spare(), x, y);
    }
    /// The numbers of the lanes of a tile.
    void emit_data() {
        if (!has_valid() || wide_) return;
        align(32);
        L(numbers_);
        for (int i = 0; i < kTileVectors * lanes(); ++i)
            of_8_ ? dq(static_cast<std::uint64_t>(i)) : dd(static_cast<std::uint32_t>(i));
    }

    static constexpr int kValidLanes = offsetof(TileState, valid_lanes);
    static constexpr int kStreams = offsetof(TileState, streams);

    std::byte* memory_;
    RegisterPlan plan_;
    Xbyak::Label numbers_;
    bool rest_ = false; ///< what is emitted now computes the last, partial tile
};

} // namespace

bool translates(const KernelTable& kernels) noexcept {
    return std::string_view(kernels.name) == "avx512" || std::string_view(kernels.name) == "avx2";
}

Translated translate(const KernelTable& kernels, const ThreadedCode& program) noexcept {
    if (!translates(kernels) || program.lane_bytes < 4) return {};
    const bool wide = std::string_view(kernels.name) == "avx512";
    try {
        const std::optional<ProgramValues> values = values_of(program);
        if (!values) return {};
        const auto memory = std::make_unique_for_overwrite<std::byte[]>(kMostCodeBytes);
        Translator translator(program, *values, wide, memory.get());
        return {ExecutableMemory(translator.run()), translator.takes_rest()};
    } catch (...) { // too long, or no memory for it
        return {};
    }
}

} // namespace purview::engine

#else

namespace purview::inline v0_1::engine {

bool translates(const KernelTable&) noexcept { return false; }
Translated translate(const KernelTable&, const ThreadedCode&) noexcept { return {}; }

} // namespace purview::engine

#endif
