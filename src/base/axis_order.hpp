#pragma once

#include <purview/base/index.hpp>

#include <cstdlib>

namespace purview {

/// Whether two neighbouring axes can be walked as one: a step along the outer one goes on where the inner one, of that
/// extent, ends.
inline bool is_one_axis(index_t outer_stride, index_t inner_stride, index_t inner_extent) noexcept {
    index_t span = 0;
    return !__builtin_mul_overflow(inner_stride, inner_extent, &span) && outer_stride == span;
}

/// Which of two axes of an operand is better walked outside of the other: greater than 0 for the first one, less for the second,
/// 0 where the operand does not care. Lines are then read one after the other. A repeated axis (0) says nothing: any order reads
/// the same lines.
inline index_t compare_steps(index_t first_stride, index_t second_stride) noexcept {
    if (first_stride == 0 || second_stride == 0) return 0;
    return std::abs(first_stride) - std::abs(second_stride);
}

/// Sorts axes so that the outermost comes first, where `is_outside(i, j)` tells whether axis i belongs outside of axis j, and
/// `swap(i, j)` exchanges them. By insertion: there are few of them, nearly always in order, and equal ones keep theirs.
template <typename IsOutside, typename Swap>
void order_axes(std::size_t count, IsOutside is_outside, Swap swap) {
    for (std::size_t i = 1; i < count; ++i)
        for (std::size_t j = i; j > 0 && is_outside(j, j - 1); --j) swap(j, j - 1);
}

} // namespace purview
