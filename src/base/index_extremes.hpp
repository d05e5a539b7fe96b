#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

namespace purview::inline v0_1 {

/// The least and the greatest of the indexes added so far; both are 0 while there are none.
class IndexExtremes {
public:
    /// Keeps kLanes extremes side by side, so that no comparison waits for the one before.
    void add(std::span<const index_t> indexes) noexcept {
        const std::size_t whole = indexes.size() / kLanes * kLanes;
        std::array<index_t, kLanes> least = least_;
        std::array<index_t, kLanes> greatest = greatest_;
        const auto add_to_lane = [&](std::size_t k, index_t index) {
            least[k] = std::min(least[k], index);
            greatest[k] = std::max(greatest[k], index);
        };
        for (std::size_t i = 0; i < whole; i += kLanes)
            for (std::size_t k = 0; k < kLanes; ++k) add_to_lane(k, indexes[i + k]);
        for (std::size_t i = whole; i < indexes.size(); ++i) add_to_lane(i - whole, indexes[i]);
        least_ = least;
        greatest_ = greatest;
        has_any_ = has_any_ || !indexes.empty();
    }

    index_t least() const noexcept { return has_any_ ? *std::ranges::min_element(least_) : 0; }
    index_t greatest() const noexcept {
        return has_any_ ? *std::ranges::max_element(greatest_) : 0;
    }

private:
    static constexpr std::size_t kLanes = 4;
    using Lanes = std::array<index_t, kLanes>;
    static constexpr Lanes all(index_t index) { return {index, index, index, index}; }

    Lanes least_ = all(std::numeric_limits<index_t>::max());
    Lanes greatest_ = all(std::numeric_limits<index_t>::min());
    bool has_any_ = false;
};

} // namespace purview
