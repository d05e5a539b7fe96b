#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The number of different indexes, all of them in [least, greatest]: by a bit for each number of
/// that range where it is not much longer than the list, else by sorting a copy. O(n), or
/// O(n log n).
inline index_t count_distinct(std::span<const index_t> indexes, index_t least, index_t greatest) {
    if (indexes.empty()) return 0;
    constexpr std::uint64_t kBits = 64;
    const auto first = static_cast<std::uint64_t>(least);
    const std::uint64_t last = static_cast<std::uint64_t>(greatest) - first;
    if (last / kBits <= indexes.size()) {
        std::vector<std::uint64_t> seen(last / kBits + 1);
        index_t distinct = 0;
        for (const index_t index : indexes) {
            const std::uint64_t at = static_cast<std::uint64_t>(index) - first;
            const std::uint64_t bit = std::uint64_t{1} << at % kBits;
            distinct += (seen[at / kBits] & bit) == 0 ? 1 : 0;
            seen[at / kBits] |= bit;
        }
        return distinct;
    }
    std::vector<index_t> sorted(indexes.begin(), indexes.end());
    std::sort(sorted.begin(), sorted.end());
    return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
}

/// Whether all indexes, which lie in [least, greatest], differ. O(1) where there are more of them
/// than numbers in that range.
inline bool are_distinct(std::span<const index_t> indexes, index_t least, index_t greatest) {
    const std::uint64_t range =
        static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    return indexes.size() <= 1 || (indexes.size() - 1 <= range &&
                                   count_distinct(indexes, least, greatest) == std::ssize(indexes));
}

} // namespace purview
