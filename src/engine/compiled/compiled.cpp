#include <purview/evaluation/compiled.hpp>
#include <purview/expression/graph.hpp>

#include "engine/compiled/prepared_run.hpp"
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

    /// Runs the task by a prepared run, perhaps a new one. Returns false if it could not.
    bool run(const PreparedRun::Task& task, Bindings bindings, void* out) {
        std::optional<Lease> other; // one that is made for other strides
        for (Slot& slot : slots_) {
            PreparedRun* const prepared = slot.exchange(nullptr, std::memory_order_acquire);
            if (prepared == nullptr) continue;
            Lease lease(slot, prepared);
            if (lease.run->move_to(bindings)) return lease.run->run(out);
            other.emplace(std::move(lease));
        }
        return run_new(task, bindings, out, other);
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

    bool run_new(const PreparedRun::Task& task, Bindings bindings, void* out,
                 std::optional<Lease>& other) {
        if (failures_.load(std::memory_order_relaxed) >= kFailures) return false;
        if (std::ranges::any_of(task.slots,
                                [&](std::size_t slot) { return lies_elsewhere(*bindings[slot]); }))
            return false;
        const bool has_slot = slots_taken_.load(std::memory_order_relaxed) < kMostRuns;
        if (!has_slot &&
            (!other || (misses_.fetch_add(1, std::memory_order_relaxed) + 1) % kMisses != 0))
            return false;
        std::unique_ptr<PreparedRun> made = PreparedRun::make(task, bindings);
        if (made == nullptr) {
            failures_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        if (!has_slot) {
            other->run = std::move(made);
            return other->run->run(out);
        }
        const std::size_t slot = slots_taken_.fetch_add(1, std::memory_order_relaxed);
        if (slot >= kMostRuns) return false;
        const Lease lease(slots_[slot], made.release());
        return lease.run->run(out);
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
          slots(slots_below(root)),
          substitution(std::span(&root, 1)) {}

    Operand root;
    std::optional<Reduction> reduction;
    index_t groups;
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
    if (out.memory() != nullptr && state.groups == 1 && !state.substitution.empty() &&
        state.prepared.run({state.substitution, state.slots, state.reduction}, bindings,
                           out.memory()))
        return;
    const Operand bound = state.substitution.empty() ? state.root : state.substitution(bindings)[0];
    if (state.reduction)
        reduce_groups(*state.reduction, bound, state.groups, out);
    else if (bound.dims.size() == 0)
        return;
    else if (out.memory() == nullptr || lies_elsewhere(bound))
        assign(bound, out.elements(bound.dtype(), bound.dims.max_shape()));
    else
        Evaluation(bound).read(0, bound.dims.size(), out.memory());
}

} // namespace purview
