#include "evaluation/loops/state_chains.hpp"

#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

StateChains::StateChains(const LoopRule& rule) {
    constexpr std::size_t kNone = ~std::size_t{0};
    // Which state each one is that was before, and which one follows each.
    std::vector<std::size_t> source(rule.states, kNone), follower(rule.states, kNone);
    for (std::size_t i = 0; i < rule.states; ++i) {
        const Operand& next = rule.step->outputs[i];
        if (!is_placeholder(*next.node) || !is_whole(next)) continue;
        const std::size_t slot = static_cast<const SymbolNode&>(*next.node).slot();
        if (slot >= rule.states || slot == i || follower[slot] != kNone) continue;
        source[i] = slot;
        follower[slot] = i;
    }
    links_.resize(rule.states, {kNone, 0});
    members_.resize(rule.states);
    const auto follow = [&](std::size_t head) {
        for (std::size_t i = head; i != kNone && links_[i].head == kNone; i = follower[i]) {
            links_[i] = {head, members_[head].size()};
            members_[head].push_back(i);
        }
    };
    for (std::size_t i = 0; i < rule.states; ++i)
        if (source[i] == kNone) follow(i);
    // States that only change places: one of each round is copied.
    for (std::size_t i = 0; i < rule.states; ++i)
        if (links_[i].head == kNone) follow(i);
}

SharedGraph computed_outputs(const LoopRule& rule, const StateChains& chains) {
    TracedOutputs step = *rule.step;
    step.outputs.clear();
    for (std::size_t i = 0; i < rule.step->outputs.size(); ++i)
        if (i >= chains.size() || chains.is_computed(i))
            step.outputs.push_back(rule.step->outputs[i]);
    return std::make_shared<const TracedOutputs>(std::move(step));
}

} // namespace purview
