#pragma once

#include "evaluation/share_nodes.hpp"
#include "evaluation/stage_work.hpp"

#include <purview/expression/symbol.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The work of stages, over what each reads by its number among those reads: stages that do the same
/// with other operands, as the steps of a loop do, have one work, and what it has prepared.
class SharedWorks {
public:
    /// Of a computed node in its own order. `reads` are the slots of its placeholders, left before right.
    std::shared_ptr<const StageWork> of_node(const NodePtr& node,
                                             std::span<const std::size_t> reads);
    /// Of a view of a node.
    std::shared_ptr<const StageWork> of_view(const Operand& view,
                                             std::span<const std::size_t> reads);

private:
    NodePtr renumbered(const NodePtr& node, std::span<const std::size_t> reads);
    NodePtr placeholder(const SymbolNode& symbol, std::size_t number);

    NodeTable nodes_;
    std::vector<std::vector<NodePtr>> placeholders_; ///< by number, of each type and shape
    using Work = std::shared_ptr<const StageWork>;
    std::unordered_map<const Node*, Work> of_nodes_;
    std::unordered_multimap<const Node*, std::pair<Dimensions, Work>> of_views_;
};

} // namespace purview
