#pragma once

#include <purview/expression/loop.hpp>

#include <cstddef>
#include <vector>

namespace purview::inline v0_1 {

/// States that are what another one was before the step, as the `before` of a wave: nothing is computed or copied for
/// them. A chain is a state that is computed, and those that follow it by one step, two steps and so on.
class PURVIEW_EXPORT StateChains {
public:
    explicit StateChains(const LoopRule& rule);

    /// The state that is computed, and how many steps `state` is behind it.
    std::size_t head(std::size_t state) const noexcept { return links_[state].head; }
    std::size_t lag(std::size_t state) const noexcept { return links_[state].lag; }
    bool is_computed(std::size_t state) const noexcept { return links_[state].lag == 0; }
    /// How many states a chain has, and the one that is so many steps behind its head.
    std::size_t length(std::size_t head) const noexcept { return members_[head].size(); }
    std::size_t member(std::size_t head, std::size_t lag) const noexcept {
        return members_[head][lag];
    }
    std::size_t size() const noexcept { return links_.size(); }

private:
    struct Link {
        std::size_t head;
        std::size_t lag;
    };
    std::vector<Link> links_;
    std::vector<std::vector<std::size_t>> members_; ///< of the chain of each head, by their lag
};

/// The step without the states that are not computed.
SharedGraph computed_outputs(const LoopRule& rule, const StateChains& chains);

} // namespace purview
