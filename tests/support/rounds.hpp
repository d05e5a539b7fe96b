#pragma once

#include <support/sanitizers.hpp>

#include <concepts>
#include <cstdlib>

namespace oracle {

/// How many random cases a test tries: `all`, or a quarter of them where they cost much and were tried elsewhere: under a
/// sanitizer, where each takes ten times as long, and on the kernels of a target that PURVIEW_TARGET names.
template <std::integral I>
I rounds(I all) {
    static const bool few = UNDER_A_SANITIZER || std::getenv("PURVIEW_TARGET") != nullptr;
    return few ? static_cast<I>((all + 3) / 4) : all;
}

} // namespace oracle
