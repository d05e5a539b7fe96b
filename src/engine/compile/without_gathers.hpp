#pragma once

#include <purview/expression/gather.hpp>

#include <optional>

namespace purview::inline v0_1::engine {

/// A node and a view of it.
struct SeenNode {
    const Node* node;
    Dimensions view;
};

/// What a gather is that is a view of its source (`Gather::view`), seen through a view: that view of the
/// source, or of what this one gathers from. Nothing for other nodes, and where views would be put
/// in layers.
std::optional<SeenNode> without_gathers(const Node& node, const Dimensions& view);

} // namespace purview::engine
