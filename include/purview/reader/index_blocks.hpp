#pragma once

#include <purview/base/index.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace purview::inline v0_1 {

/// How many indexes or elements the readers of this folder process at once: enough to make a
/// virtual call per block negligible, few enough to stay in the first-level cache.
inline constexpr index_t kIndexBlock = 256;

/// Calls `visit(done, indexes)` for consecutive blocks of `map(0), …, map(count - 1)`; `done` is
/// the position of the first entry of a block. Allocates nothing.
template <typename Map, typename Visit>
void for_index_blocks(std::size_t count, const Map& map, const Visit& visit) {
    std::array<index_t, static_cast<std::size_t>(kIndexBlock)> indexes;
    for (std::size_t done = 0; done < count; done += indexes.size()) {
        const std::size_t length = indexes.size() < count - done ? indexes.size() : count - done;
        for (std::size_t i = 0; i < length; ++i) indexes[i] = map(done + i);
        visit(done, std::span<const index_t>(indexes.data(), length));
    }
}

} // namespace purview
