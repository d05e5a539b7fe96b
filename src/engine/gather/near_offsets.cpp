#include "engine/gather/near_offsets.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// One in so many vectors may be far: more of them are branches that nobody foresees.
constexpr std::size_t kNearForFar = 4;

} // namespace

std::optional<NearOffsets> NearOffsets::find(std::span<const index_t> offsets, index_t size,
                                             std::size_t vector_bytes) {
    const std::size_t n = vector_bytes / static_cast<std::size_t>(size);
    if (n == 0 || (size != 4 && size != 8) || offsets.size() < n) return {};
    const auto [least, most] = std::ranges::minmax(offsets);
    const auto reach = static_cast<index_t>(2 * n) - 1; // from the first element to the last one
    if (most - least < reach) return {};
    NearOffsets near;
    const std::size_t whole = offsets.size() / n;
    near.starts_.reserve(whole);
    near.lanes_.resize(whole * n);
    std::size_t far = 0;
    for (std::size_t at = 0; at < whole * n; at += n) {
        const auto [low, high] = std::ranges::minmax(offsets.subspan(at, n));
        if (high - low > reach) {
            if (++far > whole / kNearForFar) return {};
            near.starts_.push_back(kFarApart);
            continue;
        }
        // Never reads behind the largest offset: the last starts lie further back.
        const index_t start = std::min(low, most - reach);
        near.starts_.push_back(start);
        for (std::size_t i = at; i < at + n; ++i)
            near.lanes_[i] = static_cast<std::uint8_t>(offsets[i] - start);
    }
    return near;
}

} // namespace purview::engine
