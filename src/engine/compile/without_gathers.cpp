#include "engine/compile/without_gathers.hpp"

#include <purview/dimensions/compose.hpp>

#include <utility>

namespace purview::inline v0_1::engine {

std::optional<SeenNode> without_gathers(const Node& node, const Dimensions& view) {
    std::optional<SeenNode> seen;
    const Node* next = &node;
    for (const Gather* gather = node_as<Gather>(*next);
         gather != nullptr && gather->view() != nullptr; gather = node_as<Gather>(*next)) {
        next = gather->source().node.get();
        Dimensions all = dimensions::compose(seen ? seen->view : view, *gather->view());
        if (all.layer_count() > 1) break;
        seen = SeenNode{next, next->kind() == NodeKind::constant ? Dimensions() : std::move(all)};
    }
    return seen;
}

} // namespace purview::engine
