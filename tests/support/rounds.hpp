#pragma once

#include <support/sanitizers.hpp>

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace oracle {

/// How many random cases a test tries: a quarter of `all`, and a sixteenth where each costs much and the same are tried
/// elsewhere: under a sanitizer, on the kernels of a target that PURVIEW_TARGET names, and on another backend than the
/// CPU's. Where the environment has PURVIEW_TEST_ALL, as in `.ci/run --all`, all of them, and an eighth. Never fewer
/// than 8 of as many, or 3 where each costs much. For numbers of cases, not for sizes.
template <std::integral I>
I rounds(I all) {
    static const bool is_costly = UNDER_A_SANITIZER || std::getenv("PURVIEW_TARGET") != nullptr ||
                                  std::getenv("PURVIEW_TEST_BACKEND") != nullptr;
    static const bool wants_all = std::getenv("PURVIEW_TEST_ALL") != nullptr;
    const I divisor = static_cast<I>(is_costly ? (wants_all ? 8 : 16) : (wants_all ? 1 : 4));
    const I some = static_cast<I>((all + divisor - 1) / divisor);
    return std::max(some, std::min(all, static_cast<I>(is_costly ? 3 : 8)));
}

/// Of cases that cost much each, in order of size: the first, every third after it and the last, or with PURVIEW_TEST_ALL
/// all of them.
template <typename T>
std::vector<T> some_of(std::initializer_list<T> all) {
    static const bool wants_all = std::getenv("PURVIEW_TEST_ALL") != nullptr;
    std::vector<T> some;
    for (const T* each = all.begin(); each != all.end(); ++each)
        if (wants_all || (each - all.begin()) % 3 == 0 || each + 1 == all.end())
            some.push_back(*each);
    return some;
}

} // namespace oracle
