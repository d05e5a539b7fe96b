#pragma once

#include "engine/machine_code/register_plan.hpp"

#include <purview/dtype/dtype.hpp>

#include <xbyak/xbyak.h>

#include <cstddef>

namespace purview::inline v0_1::engine {

/// The instructions of operations on vectors, of AVX-512 (`wide`) or of AVX2.
class X86Operations : public Xbyak::CodeGenerator {
protected:
    using Xmm = Xbyak::Xmm;
    using Operand = Xbyak::Operand;
    using Kind = SegmentValues::Kind;
    using Value = SegmentValues::Value;

    X86Operations(std::size_t most_bytes, void* code, bool wide, std::uint32_t lane_bytes)
        : CodeGenerator(most_bytes, code), wide_(wide), of_8_(lane_bytes == 8) {}

    bool supports(const Value& value) const;

    Xmm vector(std::uint32_t index) const {
        return {wide_ ? Operand::ZMM : Operand::YMM, static_cast<int>(index)};
    }
    /// Overwritten by operations in more than one step.
    Xmm spare() const { return vector(wide_ ? 31 : 15); }
    static Xbyak::Opmask spare_mask() { return Xbyak::Opmask(1); }

    void broadcast(const Xmm& to, const Operand& from) {
        if (!of_8_)
            vbroadcastss(to, from);
        else if (wide_)
            vbroadcastsd(Xbyak::Zmm(to.getIdx()), from);
        else
            vbroadcastsd(Xbyak::Ymm(to.getIdx()), from);
    }
    void unary(const Value& value, const Xmm& to, const Xmm& x);
    void binary(const Value& value, const Xmm& to, const Xmm& x, const Operand& y);
    /// to = op(x, y) of floats; `to` must not be y.
    void extreme(TileOp op, const Xmm& to, const Xmm& x, const Xmm& y);
    /// The spare mask = x op y; AVX-512 only.
    void compare_to_mask(const Value& value, const Xmm& x, const Operand& y);
    /// to = mask ? x : y
    void choose_by_mask(const Xmm& to, const Xbyak::Opmask& mask, const Xmm& x, const Xmm& y) {
        of_8_ ? vblendmpd(to | mask, y, x) : vblendmps(to | mask, y, x);
    }
    void choose(const Xmm& to, const Xmm& mask, const Xmm& x, const Xmm& y);
    void mask_to_vector(const Xmm& to) {
        of_8_ ? vpmovm2q(to, spare_mask()) : vpmovm2d(to, spare_mask());
    }
    /// Bytes to the lanes `some` of a register, all of which become masks.
    void load_bools(const Xmm& to, const Xmm& some, const Operand& from);
    void store_bools(const Xbyak::Address& to, const Xmm& from);
    /// The bytes of masks in the first bytes of the spare register; AVX2 only.
    void pack_bools(const Xmm& from);

    /// count = the number of true lanes
    void count_true(const Xmm& mask, const Xbyak::Reg32& count);

    const bool wide_;
    const bool of_8_; ///< lanes of 8 bytes, else of 4

private:
    void whole(const Value& value, const Xmm& to, const Xmm& x, const Operand& y);
    void round(std::uint8_t how, const Xmm& to, const Xmm& x);
    void compare_integers(const Value& value, const Xmm& to, const Xmm& x, const Operand& y);
    void compare(const Value& value, const Xmm& to, const Xmm& x, const Operand& y);
};

} // namespace purview::engine
