#include <purview/evaluation/compiled.hpp>
#include <purview/expression/graph.hpp>

#include "engine/compiled/prepared_run.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using engine::PreparedRun;
using engine::Way;

/// A pool of prepared runs, each leased to one thread at a time. Every run has a slot that it comes
/// back to, so that returning it is one store.
class PreparedRuns {
public:
    PreparedRuns() = default;
    PreparedRuns(const PreparedRuns&) = delete;
    PreparedRuns& operator=(const PreparedRuns&) = delete;
    ~PreparedRuns() {
        for (Slot& slot : slots_) delete slot.load(std::memory_order_relaxed);
    }

    /// Calls `use(run)` with a run that is moved to these bindings, perhaps a new one, and returns
    /// what that returns. False if there is none.
    template <typename Use>
    bool lend(const PreparedRun::Task& task, Bindings bindings, const Use& use) {
        std::optional<Lease> other; // one that is made for other strides
        for (Slot& slot : slots_) {
            PreparedRun* const prepared = slot.exchange(nullptr, std::memory_order_acquire);
            if (prepared == nullptr) continue;
            Lease lease(slot, prepared);
            if (lease.run->move_to(bindings)) return use(*lease.run);
            other.emplace(std::move(lease));
        }
        const std::optional<Lease> made = make(task, bindings, other);
        return made && use(*made->run);
    }

private:
    using Slot = std::atomic<PreparedRun*>;

    /// Prepared runs, at most. Threads that find none for them evaluate without.
    static constexpr std::size_t kMostRuns = 4;
    /// A run is replaced by one for other strides at every kMisses-th miss only.
    static constexpr unsigned kMisses = 16;
    /// After so many failures to prepare a run, it is not tried again.
    static constexpr unsigned kFailures = 32;

    struct Lease {
        Lease(Slot& home, PreparedRun* taken) noexcept : slot(&home), run(taken) {}
        Lease(Lease&& other) noexcept
            : slot(std::exchange(other.slot, nullptr)), run(std::move(other.run)) {}
        ~Lease() {
            if (slot != nullptr) slot->store(run.release(), std::memory_order_release);
        }
        Slot* slot;
        std::unique_ptr<PreparedRun> run;
    };

    std::optional<Lease> make(const PreparedRun::Task& task, Bindings bindings,
                              std::optional<Lease>& other) {
        if (failures_.load(std::memory_order_relaxed) >= kFailures) return {};
        if (std::ranges::any_of(task.slots,
                                [&](std::size_t slot) { return lies_elsewhere(*bindings[slot]); }))
            return {};
        const bool has_slot = slots_taken_.load(std::memory_order_relaxed) < kMostRuns;
        if (!has_slot &&
            (!other || (misses_.fetch_add(1, std::memory_order_relaxed) + 1) % kMisses != 0))
            return {};
        std::unique_ptr<PreparedRun> made = PreparedRun::make(task, bindings);
        if (made == nullptr) {
            failures_.fetch_add(1, std::memory_order_relaxed);
            return {};
        }
        if (!has_slot) {
            other->run = std::move(made);
            return std::move(other);
        }
        const std::size_t slot = slots_taken_.fetch_add(1, std::memory_order_relaxed);
        if (slot >= kMostRuns) return {};
        return Lease(slots_[slot], made.release());
    }

    std::array<Slot, kMostRuns> slots_{};
    std::atomic<std::size_t> slots_taken_{0};
    std::atomic<unsigned> misses_{0};
    std::atomic<unsigned> failures_{0};
};

} // namespace

struct Compiled::State {
    State(const Operand& operand, std::optional<Reduction> fold, index_t count)
        : root(operand),
          reduction(fold),
          groups(count),
          is_product(fold == Reduction::sum && engine::product_at(root) != nullptr),
          slots(slots_below(root)),
          substitution(std::span(&root, 1)) {}

    bool may_prepare() const {
        const engine::Ways allowed = engine::allowed_ways();
        if (substitution.empty() || !allowed.has(Way::prepared)) return false;
        return groups == 1 || (is_product && allowed.has(Way::product) && !engine::is_watched());
    }
    PreparedRun::Task task() const { return {substitution, slots, reduction, groups}; }

    Operand root;
    std::optional<Reduction> reduction;
    index_t groups;
    bool is_product;
    std::vector<std::size_t> slots;
    Substitution substitution; // refers to `root`
    PreparedRuns prepared;
};

Compiled::Compiled(const Operand& root) : state_(new State(root, std::nullopt, 1)) {}
Compiled::Compiled(Reduction reduction, const Operand& root, index_t groups)
    : state_(new State(root, reduction, groups)) {}
Compiled::~Compiled() = default;
Compiled::Compiled(Compiled&&) noexcept = default;
Compiled& Compiled::operator=(Compiled&&) noexcept = default;

void Compiled::run(Bindings bindings, const Destination& out) const {
    State& state = *state_;
    if (out.memory() != nullptr && state.may_prepare() &&
        state.prepared.lend(state.task(), bindings,
                            [&](PreparedRun& run) { return run.run(out.memory()); }))
        return engine::count_way(state.groups == 1 ? Way::prepared : Way::product);
    const Operand bound = over(bindings);
    if (state.reduction)
        reduce_groups(*state.reduction, bound, state.groups, out);
    else if (bound.dims.size() > 0)
        assign(bound, out.elements(bound.dtype(), bound.dims.max_shape()));
}

bool Compiled::is_prepared(Bindings bindings) const {
    return state_->groups == 1 && state_->may_prepare() &&
           state_->prepared.lend(state_->task(), bindings, [](PreparedRun&) { return true; });
}

Operand Compiled::over(Bindings bindings) const {
    return state_->substitution.empty() ? state_->root : state_->substitution(bindings)[0];
}

} // namespace purview
