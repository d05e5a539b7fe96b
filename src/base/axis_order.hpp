#pragma once

#include <purview/base/index.hpp>

#include <cstdlib>

namespace purview::inline v0_1 {

/// Whether two adjacent axes can be merged into one: the stride of the outer axis equals the stride
/// of the inner one times the extent of the inner one. False if that product overflows.
inline bool is_one_axis(index_t outer_stride, index_t inner_stride, index_t inner_extent) noexcept {
    index_t span = 0;
    return !__builtin_mul_overflow(inner_stride, inner_extent, &span) && outer_stride == span;
}

/// Which of two axes of an operand, given by their strides, should be the outer loop, so that
/// memory is read sequentially: greater than 0 for the first axis, less than 0 for the second, 0
/// where the operand has no preference. It has none where an axis is repeated (stride 0), as either
/// order reads the same cache lines.
inline index_t compare_steps(index_t first_stride, index_t second_stride) noexcept {
    if (first_stride == 0 || second_stride == 0) return 0;
    return std::abs(first_stride) - std::abs(second_stride);
}

/// Sorts axes so that the outermost comes first, where `is_outside(i, j)` tells whether axis i
/// belongs outside of axis j, and `swap(i, j)` exchanges them. An insertion sort: there are few
/// axes, nearly always in order already. It is stable.
template <typename IsOutside, typename Swap>
void order_axes(std::size_t count, IsOutside is_outside, Swap swap) {
    for (std::size_t i = 1; i < count; ++i)
        for (std::size_t j = i; j > 0 && is_outside(j, j - 1); --j) swap(j, j - 1);
}

} // namespace purview
