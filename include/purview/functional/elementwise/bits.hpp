#pragma once

#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>

#include <utility>

namespace purview::inline v0_1 {

// Element-wise on the bits of integers, lazy, broadcasting; of bools, logic (the shifts take none). Types promote
// as in arithmetic. `tensor | stage` is a pipeline.

#define PURVIEW_NO_BITS                                                                              \
 "&, |, ^, << and >> are of the bits of integers, the first three of bools, too: a power is pow(x, " \
 "2), conditions are joined by x > 0 && y > 0"
PURVIEW_BINARY_OPERATOR(&, bit_and, PURVIEW_NO_BITS)
PURVIEW_BINARY_OPERATOR(|, bit_or, PURVIEW_NO_BITS)
PURVIEW_BINARY_OPERATOR(^, bit_xor, PURVIEW_NO_BITS)
// Bits that are shifted out are lost. A count below 0, or at least the width, shifts all bits out:
// the result is 0, or -1 for a negative number shifted to the right, which keeps its sign.
PURVIEW_BINARY_OPERATOR(<<, shift_left, PURVIEW_NO_BITS)
PURVIEW_BINARY_OPERATOR(>>, shift_right, PURVIEW_NO_BITS)
PURVIEW_UNARY_OPERATOR(~, bit_not, PURVIEW_NO_BITS)
#undef PURVIEW_NO_BITS

/// `x & ~y`; for bools, `x && !y`.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::bit_and_not> bit_and_not;
/// `bit_set(x, n)`, `x | bit_set(n)`: x with bit n set (0 is the lowest bit); x itself if there is
/// no bit n.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::bit_set> bit_set;
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::bit_clear> bit_clear;
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::bit_flip> bit_flip;
/// Whether bit n is set: bools. False where there is no such bit.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::bit_test> bit_test;
/// `x >> n` on the bits as an unsigned number, also for signed types: zeros are shifted in.
inline constexpr ComposedFunctionOfTwo<ComposedOfTwo::unsigned_shift_right> unsigned_shift_right;

} // namespace purview
