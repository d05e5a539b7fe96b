#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace purview::inline v0_1::engine::test {

/// How far `got` is from `expected`, in units of the last place of a T that is nearest to it. Zeros have
/// to have the same sign; infinities and NaN to be the same.
template <typename T>
double ulps(T got, long double expected) {
    const T nearest = static_cast<T>(expected);
    if (std::isnan(nearest) || std::isnan(got))
        return std::isnan(nearest) && std::isnan(got) ? 0 : 1e9;
    if (std::isinf(nearest) || std::isinf(got)) {
        // The greatest number is less than an ulp from what rounds to infinity.
        const bool beside = std::abs(got) == std::numeric_limits<T>::max() ||
                            std::abs(nearest) == std::numeric_limits<T>::max();
        return got == nearest ? 0 : beside && std::signbit(got) == std::signbit(nearest) ? 1 : 1e9;
    }
    if (nearest == 0 && got == 0) return std::signbit(nearest) == std::signbit(got) ? 0 : 1e9;
    int exponent = 0;
    std::frexp(nearest, &exponent);
    const int last =
        std::max(exponent - std::numeric_limits<T>::digits,
                 std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
    return static_cast<double>(std::abs(static_cast<long double>(got) - expected) /
                               std::ldexp(1.0L, last));
}

} // namespace purview::engine::test
