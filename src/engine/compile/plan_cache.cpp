#include "engine/compile/plan_cache.hpp"

#include <boost/container/small_vector.hpp>

#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Larger expressions are not remembered: planning them costs little beside evaluating them.
constexpr std::size_t kMostCachedValues = 256;
/// The most operands, each of fewer than 256 values, that fit into the word of their operation.
constexpr std::size_t kOperandsInWord = 4;

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

    std::span<const std::uint64_t> words() const noexcept { return {words_.data(), words_.size()}; }

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
            word |= static_cast<std::uint64_t>(operation->op()) << 16 |
                    std::uint64_t{value.operand_count} << 24;
            const std::span<const ValueId> operands = values.operands(id);
            if (operands.size() <= kOperandsInWord) {
                for (std::size_t i = 0; i < operands.size(); ++i)
                    word |= std::uint64_t{operands[i]} << (32 + 8 * i);
                add(word);
            } else {
                add(word);
                for (const ValueId operand : operands) add(operand);
            }
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

FoundPlan find_plan(const Values& values, const Purpose& purpose, bool remember) {
    const Signature signature(values, purpose);
    auto* const plans = signature.is_complete() ? of_this_thread<RememberedPlans>() : nullptr;
    if (plans == nullptr)
        return {std::make_shared<const Plan>(values, purpose), PlanCacheState::uncacheable};
    if (const RememberedPlan* const known = plans->find(signature.words()))
        return {known->plan, PlanCacheState::cached};
    auto plan = std::make_shared<const Plan>(values, purpose);
    if (remember) plans->remember(signature.words(), plan);
    return {std::move(plan), PlanCacheState::missing};
}

} // namespace

FoundPlan look_up_plan(const Values& values, const Purpose& purpose) {
    return find_plan(values, purpose, false);
}
std::shared_ptr<const Plan> plan_for(const Values& values, const Purpose& purpose) {
    return find_plan(values, purpose, true).plan;
}

} // namespace purview::engine
