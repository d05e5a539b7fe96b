#pragma once

#include <support/sanitizers.hpp>

#include <concepts>
#include <cstdlib>

namespace oracle {

/// How many random cases a test tries: a quarter of `all`; all of them where the environment has PURVIEW_TEST_ALL, as in
/// `.ci/run --all`; a sixteenth where each costs much and the others are tried elsewhere: under a sanitizer, on the
/// kernels of a target that PURVIEW_TARGET names, and on another backend than the CPU's.
template <std::integral I>
I rounds(I all) {
    static const int divisor = [] {
        if (std::getenv("PURVIEW_TEST_ALL") != nullptr) return 1;
        const bool costly = UNDER_A_SANITIZER || std::getenv("PURVIEW_TARGET") != nullptr ||
                            std::getenv("PURVIEW_TEST_BACKEND") != nullptr;
        return costly ? 16 : 4;
    }();
    return static_cast<I>((all + static_cast<I>(divisor) - 1) / static_cast<I>(divisor));
}

} // namespace oracle
