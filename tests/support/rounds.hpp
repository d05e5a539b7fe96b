#pragma once

#include <support/sanitizers.hpp>

#include <concepts>
#include <cstdlib>

namespace oracle {

/// How many random cases a test tries: `all`, or an eighth where each costs much and all are tried elsewhere: under a
/// sanitizer, on the kernels of a target that PURVIEW_TARGET names, and on another backend than the CPU's.
template <std::integral I>
I rounds(I all) {
    static const bool fewer = UNDER_A_SANITIZER || std::getenv("PURVIEW_TARGET") != nullptr ||
                              std::getenv("PURVIEW_TEST_BACKEND") != nullptr;
    const I divisor = static_cast<I>(fewer ? 8 : 1);
    return static_cast<I>((all + divisor - 1) / divisor);
}

} // namespace oracle
