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

/// A plan, and the words that say all that it depends on.
struct RememberedPlan {
    std::vector<std::uint64_t> words;
    std::shared_ptr<const Plan> plan;
};

/// The plans that a thread remembers, so that a look takes no lock. The first word tells apart what
/// kind of words they are. Use `of_this_thread<RememberedPlans>()`.
class RememberedPlans {
public:
    RememberedPlans() = default;
    RememberedPlans(const RememberedPlans&) = delete;
    RememberedPlans& operator=(const RememberedPlans&) = delete;

    /// Null if there is none for these words.
    const RememberedPlan* find(std::span<const std::uint64_t> words) noexcept {
        // Most often that which was the last one found for words like these. It is known before the
        // words are, so that nothing has to wait for them.
        const RememberedPlan*& last =
            last_[(words[0] >> 56 ^ words[0] >> 16 ^ words.size()) % kLast];
        if (last == nullptr || !is_of(*last, words)) {
            const RememberedPlan& place = places_[place_of(words)];
            if (!is_of(place, words)) return nullptr;
            last = &place;
        }
        return last;
    }
    const RememberedPlan& remember(std::span<const std::uint64_t> words,
                                   std::shared_ptr<const Plan> plan) {
        return places_[place_of(words)] = {{words.begin(), words.end()}, std::move(plan)};
    }

private:
    /// For a few words, a loop takes less time than a call of `memcmp`.
    static bool is_of(const RememberedPlan& place, std::span<const std::uint64_t> words) noexcept {
        if (place.words.size() != words.size()) return false;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (place.words[i] != words[i]) return false;
        return true;
    }
    static constexpr std::size_t kPlans = 128;
    static constexpr std::size_t kLast = 32;

    /// By a sum of products with odd numbers: no multiplication waits for another.
    static std::size_t place_of(std::span<const std::uint64_t> words) noexcept {
        std::uint64_t hash = 0;
        std::uint64_t factor = 0x9e3779b97f4a7c15;
        for (const std::uint64_t word : words) {
            hash += (word ^ word >> 32) * factor;
            factor += 0x632be59bd9b4e01a;
        }
        return (hash ^ hash >> 29) % kPlans;
    }

    std::array<RememberedPlan, kPlans> places_;
    std::array<const RememberedPlan*, kLast> last_{};
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
