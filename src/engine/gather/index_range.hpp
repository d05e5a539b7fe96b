#pragma once

#include <purview/base/index.hpp>

#include <cstdint>

namespace purview::engine {

/// Whether all indexes are in [0, extent). Operations that any vector unit has: one of the two numbers is negative where an
/// index is not.
inline bool are_all_inside(const index_t* indexes, index_t count, index_t extent) {
    const auto last = static_cast<std::uint64_t>(extent) - 1;
    std::uint64_t signs = 0;
    for (index_t k = 0; k < count; ++k) {
        const auto index = static_cast<std::uint64_t>(indexes[k]);
        signs |= index | (last - index);
    }
    return extent > 0 ? signs >> 63 == 0 : count == 0;
}

} // namespace purview::engine
