#pragma once

#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <utility>

namespace purview {

/// Operands of bit operations: integers and bools, and tensors whose type is known at run time.
/// (For elements of other types, these operators may have other meanings.)
template <typename X>
concept HasBits = !TypedOperand<X> || std::integral<OperandElement<X>> ||
                  (TypedTensor<X> && !BuiltinType<OperandElement<X>>);

template <typename X, typename Y>
concept BitOperands = TensorOperands<X, Y> && HasBits<X> && HasBits<Y>;

template <typename X, typename Y>
Refusal refuse_bits() {
    static_assert(
        kRefused<X, Y>,
        "&, |, ^, << and >> are of the bits of integers, the first "
        "three of bools, too: a power is pow(x, 2), conditions are joined by x > 0 && y > 0");
    return {};
}

// Element-wise on the bits of integers, lazy, broadcasting; of bools, logic (the shifts take none). Types promote
// as in arithmetic. `tensor | stage` is a pipeline.

template <typename X, typename Y>
    requires BitOperands<X, Y>
auto operator&(const X& x, const Y& y) { return apply_binary<Op::bit_and, BitAnd>(x, y); }
template <typename X, typename Y>
    requires BitOperands<X, Y>
auto operator|(const X& x, const Y& y) { return apply_binary<Op::bit_or, BitOr>(x, y); }
template <typename X, typename Y>
    requires BitOperands<X, Y>
auto operator^(const X& x, const Y& y) { return apply_binary<Op::bit_xor, BitXor>(x, y); }
/// Of other numbers: refused in one sentence.
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !BitOperands<X, Y>)
Refusal operator&(const X&, const Y&) { return refuse_bits<X, Y>(); }
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !BitOperands<X, Y>)
Refusal operator|(const X&, const Y&) { return refuse_bits<X, Y>(); }
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !BitOperands<X, Y>)
Refusal operator^(const X&, const Y&) { return refuse_bits<X, Y>(); }
template <TensorLike X>
    requires HasBits<X>
auto operator~(const X& x) { return apply_unary<Op::bit_not, BitNot>(x); }

/// Bits that are shifted out are lost. A count below 0, or at least the width, shifts all bits out:
/// the result is 0, or -1 for a negative number shifted to the right.
template <typename X, typename Y>
    requires BitOperands<X, Y>
auto operator<<(const X& x, const Y& y) { return apply_binary<Op::shift_left, LeftShift>(x, y); }
/// Arithmetic for signed numbers, which keep their sign; logical for unsigned ones.
template <typename X, typename Y>
    requires BitOperands<X, Y>
auto operator>>(const X& x, const Y& y) { return apply_binary<Op::shift_right, RightShift>(x, y); }

/// Of other numbers: refused in one sentence.
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !BitOperands<X, Y>)
Refusal operator<<(const X&, const Y&) { return refuse_bits<X, Y>(); }
template <typename X, typename Y>
    requires(TensorOperands<X, Y> && !BitOperands<X, Y>)
Refusal operator>>(const X&, const Y&) { return refuse_bits<X, Y>(); }

// The same for a tensor and an array that is not a tensor.
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator&(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) & as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator|(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) | as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator^(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) ^ as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator<<(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) << as_tensor(std::forward<Y>(y));
}
template <typename X, typename Y>
    requires ArrayOperands<X, Y>
auto operator>>(X&& x, Y&& y) {
    return as_tensor(std::forward<X>(x)) >> as_tensor(std::forward<Y>(y));
}

/// `x & ~y`; for bools, `x && !y`.
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::bit_and_not>> bit_and_not;
/// `bit_set(x, n)`, `x | bit_set(n)`: x with bit n set (0 is the lowest bit); x itself if there is
/// no bit n.
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::bit_set>> bit_set;
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::bit_clear>> bit_clear;
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::bit_flip>> bit_flip;
/// Whether bit n is set: bools. False where there is no such bit.
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::bit_test>> bit_test;
/// `x >> n` on the bits as an unsigned number, also for signed types: zeros are shifted in.
inline constexpr AcceptingArrays<ComposedBitFunction<ComposedOfTwo::unsigned_shift_right>>
    unsigned_shift_right;

} // namespace purview
