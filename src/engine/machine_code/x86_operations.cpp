#if defined(PURVIEW_JIT)

# include "engine/machine_code/x86_operations.hpp"

# include <purview/base/errors.hpp>

# include "dtype/type_ids.hpp"

# include <fmt/format.h>

namespace purview::inline v0_1::engine {
namespace {

/// Of what `supports` says is there, and no instruction is.
[[noreturn]] void throw_no_instruction(TileOp op) {
    throw Error(
        fmt::format("machine code: no instruction for tile operation {}", static_cast<int>(op)));
}

/// The number of a comparison in instructions. All are false for NaN but `not equal`.
std::uint8_t comparison(TileOp op, bool of_floats) {
    switch (op) {
    case TileOp::equal: return 0;
    case TileOp::not_equal: return 4;
    case TileOp::less: return of_floats ? 17 : 1;
    case TileOp::less_equal: return of_floats ? 18 : 2;
    case TileOp::greater: return of_floats ? 30 : 6;
    case TileOp::greater_equal: return of_floats ? 29 : 5;
    default: throw_no_instruction(op);
    }
}
constexpr std::uint8_t kUnordered = 3;

/// How an instruction rounds.
std::optional<std::uint8_t> rounding(TileOp op) {
    switch (op) {
    case TileOp::rint: return 8;
    case TileOp::floor: return 9;
    case TileOp::ceil: return 10;
    case TileOp::trunc: return 11;
    default: return std::nullopt;
    }
}

} // namespace

bool X86Operations::supports(const Value& value) const {
    if (value.kind == Kind::unary)
        return value.op == TileOp::absolute ||
               (is_floating(value.lane) && (value.op == TileOp::square_root || rounding(value.op)));
    if (value.kind != Kind::binary) return true;
    switch (value.op) {
    case TileOp::logical_and:
    case TileOp::logical_or:
    case TileOp::logical_xor:
    case TileOp::add:
    case TileOp::subtract:
    case TileOp::equal:
    case TileOp::not_equal: return true;
    case TileOp::divide: return is_floating(value.lane);
    case TileOp::multiply:
    case TileOp::minimum:
    case TileOp::maximum: return wide_ || is_floating(value.lane) || !of_8_;
    case TileOp::less:
    case TileOp::less_equal:
    case TileOp::greater:
    case TileOp::greater_equal: return wide_ || !is_unsigned(value.lane) || !of_8_;
    default: return false;
    }
}

void X86Operations::unary(const Value& value, const Xmm& to, const Xmm& x) {
    if (value.op == TileOp::square_root)
        of_8_ ? vsqrtpd(to, x) : vsqrtps(to, x);
    else if (const auto how = rounding(value.op))
        round(*how, to, x);
    else if (!of_8_)
        vpabsd(to, x);
    else if (wide_) {
        vpabsq(to, x);
    } else { // (x ^ m) - m with m = -1 for the negative ones
        vpxor(spare(), spare(), spare());
        vpcmpgtq(spare(), spare(), x);
        vpxor(to, x, spare());
        vpsubq(to, to, spare());
    }
}

void X86Operations::round(std::uint8_t how, const Xmm& to, const Xmm& x) {
    if (wide_)
        of_8_ ? vrndscalepd(to, x, how) : vrndscaleps(to, x, how);
    else
        of_8_ ? vroundpd(to, x, how) : vroundps(to, x, how);
}

void X86Operations::binary(const Value& value, const Xmm& to, const Xmm& x, const Operand& y) {
    if (is_comparison(value.op)) return compare(value, to, x, y);
    switch (value.op) {
    case TileOp::logical_and:
        return !wide_ ? vpand(to, x, y) : of_8_ ? vpandq(to, x, y) : vpandd(to, x, y);
    case TileOp::logical_or:
        return !wide_ ? vpor(to, x, y) : of_8_ ? vporq(to, x, y) : vpord(to, x, y);
    case TileOp::logical_xor:
        return !wide_ ? vpxor(to, x, y) : of_8_ ? vpxorq(to, x, y) : vpxord(to, x, y);
    default: break;
    }
    if (!is_floating(value.lane)) return whole(value, to, x, y);
    switch (value.op) {
    case TileOp::add: return of_8_ ? vaddpd(to, x, y) : vaddps(to, x, y);
    case TileOp::subtract: return of_8_ ? vsubpd(to, x, y) : vsubps(to, x, y);
    case TileOp::multiply: return of_8_ ? vmulpd(to, x, y) : vmulps(to, x, y);
    case TileOp::divide: return of_8_ ? vdivpd(to, x, y) : vdivps(to, x, y);
    case TileOp::minimum:
    case TileOp::maximum: return extreme(value.op, to, x, Xmm(static_cast<const Xmm&>(y)));
    default: throw_no_instruction(value.op);
    }
}

void X86Operations::extreme(TileOp op, const Xmm& to, const Xmm& x, const Xmm& y) {
    // The instruction returns its last operand, x, if either is NaN, and of two zeros.
    if (wide_)
        of_8_ ? vcmppd(spare_mask(), y, y, kUnordered) : vcmpps(spare_mask(), y, y, kUnordered);
    else
        of_8_ ? vcmppd(spare(), y, y, kUnordered) : vcmpps(spare(), y, y, kUnordered);
    if (op == TileOp::minimum)
        of_8_ ? vminpd(to, y, x) : vminps(to, y, x);
    else
        of_8_ ? vmaxpd(to, y, x) : vmaxps(to, y, x);
    if (wide_)
        of_8_ ? vmovapd(to | spare_mask(), y) : vmovaps(to | spare_mask(), y);
    else
        of_8_ ? vblendvpd(to, to, y, spare()) : vblendvps(to, to, y, spare());
}

void X86Operations::whole(const Value& value, const Xmm& to, const Xmm& x, const Operand& y) {
    const bool with_sign = !is_unsigned(value.lane);
    switch (value.op) {
    case TileOp::add: return of_8_ ? vpaddq(to, x, y) : vpaddd(to, x, y);
    case TileOp::subtract: return of_8_ ? vpsubq(to, x, y) : vpsubd(to, x, y);
    case TileOp::multiply: return of_8_ ? vpmullq(to, x, y) : vpmulld(to, x, y);
    case TileOp::minimum:
        if (with_sign) return of_8_ ? vpminsq(to, x, y) : vpminsd(to, x, y);
        return of_8_ ? vpminuq(to, x, y) : vpminud(to, x, y);
    case TileOp::maximum:
        if (with_sign) return of_8_ ? vpmaxsq(to, x, y) : vpmaxsd(to, x, y);
        return of_8_ ? vpmaxuq(to, x, y) : vpmaxud(to, x, y);
    default: throw_no_instruction(value.op);
    }
}

void X86Operations::compare_to_mask(const Value& value, const Xmm& x, const Operand& y) {
    if (is_floating(value.lane)) {
        const auto number = comparison(value.op, true);
        return of_8_ ? vcmppd(spare_mask(), x, y, number) : vcmpps(spare_mask(), x, y, number);
    }
    const auto number = comparison(value.op, false);
    if (!is_unsigned(value.lane))
        return of_8_ ? vpcmpq(spare_mask(), x, y, number) : vpcmpd(spare_mask(), x, y, number);
    return of_8_ ? vpcmpuq(spare_mask(), x, y, number) : vpcmpud(spare_mask(), x, y, number);
}

void X86Operations::compare(const Value& value, const Xmm& to, const Xmm& x, const Operand& y) {
    if (wide_) {
        compare_to_mask(value, x, y);
        return mask_to_vector(to);
    }
    if (is_floating(value.lane)) {
        const auto number = comparison(value.op, true);
        return of_8_ ? vcmppd(to, x, y, number) : vcmpps(to, x, y, number);
    }
    compare_integers(value, to, x, y);
    // Made as their opposites:
    const bool signed_or_8 = !is_unsigned(value.lane) || of_8_;
    if (value.op == TileOp::not_equal ||
        (signed_or_8 ? value.op == TileOp::less_equal || value.op == TileOp::greater_equal
                     : value.op == TileOp::less || value.op == TileOp::greater)) {
        vpcmpeqd(spare(), spare(), spare());
        vpxor(to, to, spare());
    }
}

/// `not_equal`, and one of two opposite orders, as its opposite.
void X86Operations::compare_integers(const Value& value, const Xmm& to, const Xmm& x,
                                     const Operand& y) {
    if (value.op == TileOp::equal || value.op == TileOp::not_equal)
        return of_8_ ? vpcmpeqq(to, x, y) : vpcmpeqd(to, x, y);
    const bool of_less = value.op == TileOp::less || value.op == TileOp::greater_equal;
    if (is_unsigned(value.lane)) { // x >= y if x is their maximum; x <= y if it is their minimum
        of_less ? vpmaxud(spare(), x, y) : vpminud(spare(), x, y);
        return vpcmpeqd(to, spare(), x);
    }
    if (!of_less) return of_8_ ? vpcmpgtq(to, x, y) : vpcmpgtd(to, x, y);
    if (y.isMEM()) vmovups(spare(), static_cast<const Xbyak::Address&>(y));
    const Xmm larger = y.isMEM() ? spare() : Xmm(static_cast<const Xmm&>(y));
    of_8_ ? vpcmpgtq(to, larger, x) : vpcmpgtd(to, larger, x);
}

void X86Operations::choose(const Xmm& to, const Xmm& mask, const Xmm& x, const Xmm& y) {
    if (!wide_) return of_8_ ? vblendvpd(to, y, x, mask) : vblendvps(to, y, x, mask);
    of_8_ ? vpmovq2m(spare_mask(), mask) : vpmovd2m(spare_mask(), mask);
    choose_by_mask(to, spare_mask(), x, y);
}

void X86Operations::load_bools(const Xmm& to, const Xmm& some, const Operand& from) {
    of_8_ ? vpmovzxbq(some, from) : vpmovzxbd(some, from);
    if (!wide_) {
        vpxor(spare(), spare(), spare());
        return of_8_ ? vpcmpgtq(to, to, spare()) : vpcmpgtd(to, to, spare());
    }
    of_8_ ? vptestmq(spare_mask(), to, to) : vptestmd(spare_mask(), to, to);
    mask_to_vector(to);
}

void X86Operations::store_bools(const Xbyak::Address& to, const Xmm& from) {
    if (wide_) return of_8_ ? vpmovqb(to, from) : vpmovdb(to, from);
    pack_bools(from);
    const Xmm packed(spare().getIdx());
    of_8_ ? vmovd(to, packed) : vmovq(to, packed);
}

void X86Operations::pack_bools(const Xmm& from) {
    const Xmm low(from.getIdx());
    const Xmm packed(spare().getIdx());
    vextracti128(packed, Xbyak::Ymm(from.getIdx()), 1);
    vpackusdw(packed, low, packed);
    if (of_8_) vpackusdw(packed, packed, packed);
    vpackuswb(packed, packed, packed);
}

void X86Operations::count_true(const Xmm& mask, const Xbyak::Reg32& count) {
    if (!wide_) {
        of_8_ ? vmovmskpd(count, mask) : vmovmskps(count, mask);
    } else {
        of_8_ ? vpmovq2m(spare_mask(), mask) : vpmovd2m(spare_mask(), mask);
        of_8_ ? kmovb(count, spare_mask()) : kmovw(count, spare_mask());
    }
    popcnt(count, count);
}

} // namespace purview::engine

#endif
