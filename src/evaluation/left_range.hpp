#pragma once

#include <cmath>

namespace purview::inline v0_1 {

// Sums of squares overflow, or vanish, long before the elements do. Where that happened, what is
// asked of a group is computed once more from its elements times a power of two, which is exact.

/// Mean squares below it may have lost digits to the limits of the type.
template <typename T>
inline constexpr double kLeastMeanSquare = sizeof(T) == sizeof(float) ? 0x1p-110 : 0x1p-480;

/// Whether the sum of the squares of `count` elements may have left the range of the type.
template <typename T>
bool left_range(T squares, double count) {
    return !std::isfinite(squares) || static_cast<double>(squares) < count * kLeastMeanSquare<T>;
}

} // namespace purview
