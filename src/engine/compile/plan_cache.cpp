#include "engine/compile/plan_cache.hpp"

#include "base/per_thread.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstring>

namespace purview::inline v0_1::engine {
namespace {

/// Larger expressions are not remembered: planning them costs little beside evaluating them.
constexpr std::size_t kMostCachedValues = 256;
constexpr std::size_t kSlots = 64;

/// Everything that a plan depends on, in words.
class Signature {
public:
    Signature(const Values& values, const Purpose& purpose) {
        if (values.size() > kMostCachedValues) return;
        add(static_cast<std::uint64_t>(purpose.walk) |
            static_cast<std::uint64_t>(purpose.fold) << 8 |
            static_cast<std::uint64_t>(purpose.destination != nullptr) << 16 |
            static_cast<std::uint64_t>(values.size()) << 24);
        const ShapeSpan shape = values.root().view->max_shape();
        add(shape.size());
        add_all(shape);
        if (purpose.destination != nullptr) add_all(purpose.destination->strides());
        for (ValueId id = 0; id < values.size(); ++id)
            if (!add_value(values, id)) return;
        complete_ = true;
    }

    /// False if a plan for these values is not remembered.
    bool is_complete() const noexcept { return complete_; }

    /// A sum of products with odd numbers: no multiplication waits for another.
    std::uint64_t hash() const noexcept {
        std::uint64_t sum = 0;
        std::uint64_t factor = 0x9e3779b97f4a7c15;
        for (const std::uint64_t word : words_) {
            sum += (word ^ word >> 32) * factor;
            factor += 0x632be59bd9b4e01a;
        }
        return sum ^ sum >> 29;
    }

    bool equals(const std::vector<std::uint64_t>& other) const noexcept {
        return words_.size() == other.size() &&
               std::memcmp(words_.data(), other.data(), other.size() * sizeof(other[0])) == 0;
    }
    std::vector<std::uint64_t> words() const { return {words_.begin(), words_.end()}; }

private:
    void add(std::uint64_t word) { words_.push_back(word); }
    void add_all(ShapeSpan numbers) {
        for (const index_t number : numbers) add(static_cast<std::uint64_t>(number));
    }

    bool add_value(const Values& values, ValueId id) {
        const Value& value = values[id];
        const DType dtype = value.node->dtype();
        if (!dtype
                 .is_builtin()) // two libraries may describe a type twice: then a plan is made twice
            add(reinterpret_cast<std::uintptr_t>(&dtype.descriptor()));
        std::uint64_t word = static_cast<std::uint64_t>(value.node->kind()) |
                             static_cast<std::uint64_t>(dtype.id()) << 8;
        if (const Elementwise* const operation = value.operation(); operation != nullptr) {
            add(word | static_cast<std::uint64_t>(operation->op()) << 16 |
                std::uint64_t{value.operand_count} << 24);
            for (const ValueId operand : values.operands(id)) add(operand);
        } else if (const Leaf* const leaf = value.leaf(); leaf != nullptr) {
            if (!value.is_strided_memory()) return false;
            const auto address = reinterpret_cast<std::uintptr_t>(leaf->memory().data);
            word |= static_cast<std::uint64_t>(leaf->is_thread_safe()) << 16;
            add(word | (address & (sizeof(std::uint64_t) - 1)) << 24);
            add(static_cast<std::uint64_t>(leaf->memory().stride_bytes));
            add_all(value.view->strides());
        } else if (value.is_block_source()) {
            return false;
        } else {
            add(word);
        }
        return true;
    }

    boost::container::small_vector<std::uint64_t, 64> words_;
    bool complete_ = false;
};

struct CachedPlan {
    std::uint64_t hash = 0;
    std::vector<std::uint64_t> words;
    std::shared_ptr<const Plan> plan;
};

/// One for each thread: a look into it takes no lock.
using CachedPlans = std::array<CachedPlan, kSlots>;

} // namespace

FoundPlan look_up_plan(const Values& values, const Purpose& purpose) {
    const Signature signature(values, purpose);
    const std::uint64_t hash = signature.hash();
    const CachedPlans* const cached =
        signature.is_complete() ? of_this_thread<CachedPlans>() : nullptr;
    if (cached == nullptr)
        return {std::make_shared<const Plan>(values, purpose), PlanCacheState::uncacheable};
    const CachedPlan& entry = (*cached)[hash % kSlots];
    if (entry.plan != nullptr && entry.hash == hash && signature.equals(entry.words))
        return {entry.plan, PlanCacheState::cached};
    return {std::make_shared<const Plan>(values, purpose), PlanCacheState::missing};
}

std::shared_ptr<const Plan> plan_for(const Values& values, const Purpose& purpose) {
    const Signature signature(values, purpose);
    CachedPlans* const cached = signature.is_complete() ? of_this_thread<CachedPlans>() : nullptr;
    if (cached == nullptr) return std::make_shared<const Plan>(values, purpose);
    const std::uint64_t hash = signature.hash();
    CachedPlan& entry = (*cached)[hash % kSlots];
    if (entry.plan != nullptr && entry.hash == hash && signature.equals(entry.words))
        return entry.plan;
    auto plan = std::make_shared<const Plan>(values, purpose);
    entry = {hash, signature.words(), plan};
    return plan;
}

} // namespace purview::engine
