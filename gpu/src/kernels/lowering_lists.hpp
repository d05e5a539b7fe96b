#pragma once

#include "lowered.hpp"

#include <purview/base/inline_vector.hpp>
#include <purview/expression/visit_node.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// A node seen through a view, at coordinates of a frame. Without a node, the addresses themselves.
struct Found {
    const Node* node = nullptr;
    std::uint32_t view = 0; ///< in `LoweringLists::views`
    std::uint16_t frame = 0;
    std::uint16_t value = kNoValue; ///< once it has one
};

/// A node whose operands are being visited.
struct Visit {
    Found at;
    InlineVector<std::uint16_t, 4> done; ///< values of the operands so far
    std::uint32_t first_value = 0;
};

/// Whether what is visited next tells where a gather reads.
inline bool are_for_an_index(std::span<const Visit> visits) {
    return std::ranges::any_of(visits, [](const Visit& visit) {
        const auto* const gather = node_as<Gather>(*visit.at.node);
        return gather != nullptr && visit.done.size() < gather->axes().size();
    });
}

/// What `lower` goes through, kept from call to call so that nothing is allocated.
struct LoweringLists {
    std::vector<Found> found;
    std::vector<Visit> visits;
    std::vector<Dimensions> views;
};
inline LoweringLists& kept_lowering_lists() {
    static thread_local LoweringLists lists;
    return lists;
}

} // namespace purview::gpu::detail
