#pragma once

#include "base/per_thread.hpp"
#include "engine/compile/plan.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// A plan, and the words that it was made for.
struct RememberedPlan {
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> words;
    std::shared_ptr<const Plan> plan;
};

/// What plans are remembered by: words that say all that a plan depends on, and what kind of words
/// they are. Each thread has kPlans places for plans, so that a look takes no lock; the hash of the
/// key says which.
class PlanKey {
public:
    /// The hash is a sum of products with odd numbers: no multiplication waits for another. The
    /// kind is a term of it: keys of the same words and the same hash are of the same kind.
    PlanKey(std::span<const std::uint64_t> words, std::uint64_t kind) noexcept
        : words_(words), hash_(kind) {
        std::uint64_t factor = 0x9e3779b97f4a7c15;
        for (const std::uint64_t word : words) {
            hash_ += (word ^ word >> 32) * factor;
            factor += 0x632be59bd9b4e01a;
        }
        hash_ ^= hash_ >> 29;
    }

    /// Null while the thread ends.
    RememberedPlan* place() const {
        constexpr std::size_t kPlans = 128;
        auto* const plans = of_this_thread<std::array<RememberedPlan, kPlans>>();
        return plans == nullptr ? nullptr : &(*plans)[hash_ % kPlans];
    }
    bool is_of(const RememberedPlan& plan) const noexcept {
        if (plan.hash != hash_ || plan.words.size() != words_.size()) return false;
        // For a few words, a loop takes less time than a call of `memcmp`.
        std::uint64_t differences = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) differences |= plan.words[i] ^ words_[i];
        return differences == 0;
    }
    void remember(RememberedPlan& place, std::shared_ptr<const Plan> plan) const {
        place = {hash_, {words_.begin(), words_.end()}, std::move(plan)};
    }

private:
    std::span<const std::uint64_t> words_;
    std::uint64_t hash_;
};

/// A plan for these values: one made before for the same structure (operations, types, shape,
/// strides, but not addresses and constants) if this thread remembers it, else a new one. A thread
/// remembers a bounded number of plans. Not remembered are plans of more than 256 values, and with
/// leaves that are not strided memory of words (index lists, readers, gathers, pieces, strings).
std::shared_ptr<const Plan> plan_for(const Values& values, const Purpose& purpose);

/// How this thread would get a plan: it remembers one, it makes one and remembers it, or it makes
/// one each time.
enum class PlanCacheState : std::uint8_t { cached, missing, uncacheable };

/// The plan that `plan_for` would return, without remembering it.
struct FoundPlan {
    std::shared_ptr<const Plan> plan;
    PlanCacheState cache_state;
};
FoundPlan look_up_plan(const Values& values, const Purpose& purpose);

} // namespace purview::engine
