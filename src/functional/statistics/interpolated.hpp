#pragma once

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {

/// Between elements whose distance is no finite number. Between a number and an infinity lies that
/// infinity, between both infinities nothing; finite elements far apart are weighed one by one.
inline double interpolated_far(double low, double high, double share) {
    return std::isfinite(low) && std::isfinite(high) ? low * (1 - share) + high * share
                                                     : low + high;
}

/// Interpolates as NumPy does, from the nearer end, so that rounding is the same. A zero is +0, as
/// of sorted elements: which of equal ones was selected depends on the number of threads.
inline double interpolated(double low, double high, double share) {
    if (share == 0 || low == high) return low + 0.0;
    if (share == 1) return high + 0.0;
    const double distance = high - low;
    if (!std::isfinite(distance)) [[unlikely]]
        return interpolated_far(low, high, share) + 0.0;
    return (share < 0.5 ? low + distance * share : high - distance * (1 - share)) + 0.0;
}

/// Throws `Error` naming `what` for a quantile outside of [0, `scale`].
inline void check_quantile(const char* what, double quantile, double scale) {
    if (!(quantile >= 0 && quantile <= scale))
        throw Error(fmt::format("{}: {} is not in [0, {}]", what, quantile, scale));
}

} // namespace purview
