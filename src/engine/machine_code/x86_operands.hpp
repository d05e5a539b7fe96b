#pragma once

#include "engine/machine_code/tile_code.hpp"
#include "engine/machine_code/x86_operations.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace purview::inline v0_1::engine {

/// Where a machine function finds what a program reads and writes. The addresses are in the
/// instructions of the program; those of arrays are in registers while the loop runs.
class X86Operands : public X86Operations {
protected:
    static constexpr int kTileVectors = 4;

    X86Operands(std::size_t most_bytes, void* code, bool wide, const TileCode& program,
                const SegmentValues& values)
        : X86Operations(most_bytes, code, wide, program.lane_bytes),
          program_(program),
          values_(values),
          lane_(static_cast<int>(program.lane_bytes)),
          vector_bytes_(wide ? 64 : 32) {}

    // Arguments: program, state, first byte, tiles, from, to. The first byte and the tiles become
    // the index of a lane and that of the end.
    Xbyak::Reg64 index() const { return rdx; }
    Xbyak::Reg64 end() const { return rcx; }

    Xbyak::Address operand_of(std::uint32_t instruction) const {
        return ptr[rdi + static_cast<int>(instruction * sizeof(Instruction) +
                                          offsetof(Instruction, operand))];
    }

    int lanes() const { return vector_bytes_ / lane_; }

    struct Base {
        std::uint32_t array;
        std::uint32_t instruction;
        int reg; ///< -1: read from the instruction whenever it is used
    };

    /// `keeps_…`: the register has another use in the loop.
    void choose_bases(bool keeps_r8, bool keeps_rsi) {
        const int free[] = {Operand::R10, Operand::R11, Operand::RSI, Operand::R8,  Operand::RBX,
                            Operand::RBP, Operand::R12, Operand::R13, Operand::R14, Operand::R15};
        constexpr std::size_t kFirstSaved = 4;
        std::size_t next = 0;
        for (const Patch& patch : program_.arrays) {
            if (!needs_base(patch.instruction) || base_of(patch.target) != nullptr) continue;
            while (next < std::size(free) && ((free[next] == Operand::R8 && keeps_r8) ||
                                              (free[next] == Operand::RSI && keeps_rsi)))
                ++next;
            const bool found = next < std::size(free);
            bases_.push_back({patch.target, patch.instruction, found ? free[next] : -1});
            if (found) ++next;
        }
        pushed_ = next > kFirstSaved ? static_cast<int>(next - kFirstSaved) : 0;
    }
    bool needs_base(std::uint32_t instruction) const {
        if (instruction == program_.last()) return true;
        for (const Value& value : values_.values)
            if (value.instruction == instruction &&
                (value.kind == Kind::array || value.kind == Kind::bools))
                return true;
        return false;
    }
    const Base* base_of(std::uint32_t array) const {
        for (const Base& base : bases_)
            if (base.array == array) return &base;
        return nullptr;
    }
    std::uint32_t array_of(std::uint32_t instruction) const {
        for (const Patch& patch : program_.arrays)
            if (patch.instruction == instruction) return patch.target;
        return 0;
    }
    /// rax = the base of an instruction's array
    void load_base(std::uint32_t instruction) { mov(rax, operand_of(instruction)); }

    /// Where a vector of the tile at the index lies.
    Xbyak::Address place(std::uint32_t instruction, int vector_of_tile, bool bools) {
        const Xbyak::Reg64 reg = base_register(instruction);
        if (bools) return byte_place(reg, vector_of_tile * lanes());
        return ptr[reg + index() * lane_ + vector_of_tile * vector_bytes_];
    }

    Xbyak::Address byte_place(const Xbyak::Reg64& base, int lane_of_tile) const {
        return ptr[base + index() + lane_of_tile];
    }

    /// Calls f(instruction, register) for all arrays: once for one whose base is in a register, and for
    /// every instruction that reads its own (-1), as those of a repeated element do.
    template <typename F>
    void for_each_base(F f) const {
        for (const Base& base : bases_)
            if (base.reg >= 0) f(base.instruction, base.reg);
        for (const Patch& patch : program_.arrays)
            if (const Base* const base = base_of(patch.target); base == nullptr || base->reg < 0)
                f(patch.instruction, -1);
    }
    void load_bases() {
        for (const Base& base : bases_)
            if (base.reg >= 0) mov(Xbyak::Reg64(base.reg), operand_of(base.instruction));
    }
    /// The first byte becomes the index of a lane, the lanes become the end of whole tiles.
    void make_indexes() {
        shr(index(), lane_ == 8 ? 3 : 2);
        and_(end(), -kTileVectors * lanes());
        add(end(), index());
    }

    /// The registers that the caller wants back.
    void push_saved() {
        for (int i = 0; i < pushed_; ++i) push(Xbyak::Reg64(kSaved[i]));
    }
    void pop_saved() {
        for (int i = pushed_; i-- > 0;) pop(Xbyak::Reg64(kSaved[i]));
    }
    /// The register that holds the base of an instruction's array: rax if it has no other.
    Xbyak::Reg64 base_register(std::uint32_t instruction) {
        const Base* const base = base_of(array_of(instruction));
        if (base != nullptr && base->reg >= 0) return Xbyak::Reg64(base->reg);
        load_base(instruction);
        return rax;
    }

    void emit_prefetches() {
        const bool alone = program_.prefetches == 1;
        const auto ahead = static_cast<int>(alone ? kPrefetchBytesAlone : kPrefetchBytes);
        const std::uint32_t first = program_.end.form == Form::accumulate_in_b ? 1 : 0;
        for (std::uint32_t instruction = first; instruction < first + program_.prefetches;
             ++instruction) {
            const Xbyak::Reg64 reg = base_register(instruction);
            for (int i = 0; i < kTileVectors * vector_bytes_; i += 64)
                prefetcht0(ptr[reg + index() * lane_ + (ahead + i)]);
        }
    }

    const TileCode& program_;
    const SegmentValues& values_;
    const int lane_;
    const int vector_bytes_;

private:
    static constexpr int kSaved[] = {Operand::RBX, Operand::RBP, Operand::R12,
                                     Operand::R13, Operand::R14, Operand::R15};

    std::vector<Base> bases_;
    int pushed_ = 0;
};

} // namespace purview::engine
