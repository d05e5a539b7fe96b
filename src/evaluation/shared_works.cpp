#include "evaluation/shared_works.hpp"

#include <purview/expression/graph.hpp>

#include "base/same_extents.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {

NodePtr SharedWorks::placeholder(const SymbolNode& symbol, std::size_t number) {
    if (placeholders_.size() <= number) placeholders_.resize(number + 1);
    for (const NodePtr& known : placeholders_[number])
        if (known->dtype() == symbol.dtype() && same_extents(shape_of(*known), symbol.shape()))
            return known;
    return placeholders_[number].emplace_back(
        placeholder_operand(symbol.dtype(), symbol.shape(), number).node);
}

NodePtr SharedWorks::renumbered(const NodePtr& node, std::span<const std::size_t> reads) {
    const Operand root{node, Dimensions{}};
    return rewritten({&root, 1},
                     [&](const Node& below, NodePtr now) {
                         if (!is_placeholder(below)) return nodes_.shared(std::move(now));
                         const auto& symbol = static_cast<const SymbolNode&>(below);
                         const auto number =
                             std::ranges::find(reads, symbol.slot()) - reads.begin();
                         return placeholder(symbol, static_cast<std::size_t>(number));
                     })[0]
        .node;
}

std::shared_ptr<const StageWork> SharedWorks::of_node(const NodePtr& node,
                                                      std::span<const std::size_t> reads) {
    const NodePtr own = renumbered(node, reads);
    auto [entry, is_new] = of_nodes_.try_emplace(own.get());
    if (is_new) entry->second = node_work(*own);
    return entry->second;
}

std::shared_ptr<const StageWork> SharedWorks::of_view(const Operand& view,
                                                      std::span<const std::size_t> reads) {
    const Operand own{renumbered(view.node, reads), view.dims};
    const auto [first, last] = of_views_.equal_range(own.node.get());
    for (auto known = first; known != last; ++known)
        if (known->second.first == own.dims) return known->second.second;
    return of_views_.emplace(own.node.get(), std::pair(own.dims, view_work(own)))->second.second;
}

} // namespace purview
