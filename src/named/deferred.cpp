#include <purview/base/errors.hpp>
#include <purview/named/deferred.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>

namespace purview::inline v0_1 {
namespace {

void add_unsized(DimVector& needs, std::span<const Dim> dims) {
    for (const Dim& dim : dims)
        if (!dim.has_size() && position_of(dim, needs) < 0) needs.push_back(dim);
}

} // namespace

Deferred::~Deferred() = default;

void intrusive_ptr_add_ref(const Deferred* deferred) noexcept { deferred->references_.add(); }

// An object that dies is put on a list, which the outermost release empties, so that a long chain
// is destroyed without deep recursion.
void intrusive_ptr_release(const Deferred* deferred) noexcept {
    static thread_local const Deferred* dead = nullptr;
    static thread_local bool draining = false;
    if (!deferred->references_.drop()) return;
    deferred->next_dead_ = std::exchange(dead, deferred);
    if (std::exchange(draining, true)) return;
    while (dead != nullptr) delete std::exchange(dead, dead->next_dead_);
    draining = false;
}

bool Deferred::is_ready() const noexcept {
    return std::ranges::all_of(std::span<const Dim>(needs_),
                               [](const Dim& dim) { return dim.has_size(); });
}

void Deferred::Lock::lock() noexcept {
    while (taken_.test_and_set(std::memory_order_acquire))
        taken_.wait(true, std::memory_order_relaxed);
}

void Deferred::Lock::unlock() noexcept {
    taken_.clear(std::memory_order_release);
    taken_.notify_one();
}

bool Deferred::is_settled() const {
    const std::lock_guard guard(lock_);
    return result_.operand.node != nullptr;
}

DimOperand Deferred::result() const {
    const std::lock_guard guard(lock_);
    return result_;
}

std::string Deferred::expression_of(const Dim&) const { return {}; }

/// Throws if the Dim has no size, and says so of an index expression, if there is one among what
/// this is computed from.
void Deferred::require_size(const Dim& dim) const {
    std::unordered_set<const Deferred*> seen{this};
    std::vector<const Deferred*> waiting{this};
    std::string expression;
    while (expression.empty() && !waiting.empty()) {
        const Deferred* const next = waiting.back();
        waiting.pop_back();
        expression = next->expression_of(dim);
        for (const DimOperand& operand : next->operands_)
            if (operand.is_deferred() && seen.insert(operand.deferred.get()).second)
                waiting.push_back(operand.deferred.get());
    }
    try {
        static_cast<void>(dim.size());
    } catch (const DimError& error) {
        if (expression.empty()) throw;
        throw DimError(
            fmt::format("{} (a plain {} takes the size of its axis, {} takes none; where {} "
                        "would leave the axis, call set_size with a smaller one)",
                        error.what(), dim.name(), expression, expression));
    }
}

void Deferred::settle() const {
    std::vector<DimOperand> operands = operands_;
    for (DimOperand& operand : operands)
        if (operand.is_deferred()) operand = operand.deferred->result();
    DimOperand computed = compute(operands);
    const std::lock_guard guard(lock_);
    if (result_.operand.node == nullptr) result_ = std::move(computed);
}

DimOperand settled(const DimOperand& x) {
    if (!x.is_deferred()) return x;
    for (const Dim& dim : x.deferred->needs_)
        if (!dim.has_size()) x.deferred->require_size(dim);
    std::vector<const Deferred*> waiting{x.deferred.get()};
    while (!waiting.empty()) {
        const Deferred* const top = waiting.back();
        const std::size_t count = waiting.size();
        if (!top->is_settled()) {
            for (const DimOperand& operand : top->operands_)
                if (operand.is_deferred() && !operand.deferred->is_settled())
                    waiting.push_back(operand.deferred.get());
            if (waiting.size() > count) continue;
            top->settle();
        }
        waiting.pop_back();
    }
    return x.deferred->result();
}

bool settle_ready(std::span<DimOperand> operands) {
    bool ready = true;
    for (DimOperand& operand : operands) {
        if (!operand.is_deferred()) continue;
        if (operand.deferred->is_ready())
            operand = settled(operand);
        else
            ready = false;
    }
    return ready;
}

DimVector needs_of(std::span<const DimOperand> operands) {
    DimVector needs;
    for (const DimOperand& operand : operands) {
        add_unsized(needs, operand.dims);
        if (operand.is_deferred()) add_unsized(needs, operand.deferred->needs());
    }
    return needs;
}

DimVector joined_dims(std::span<const DimOperand* const> operands) {
    if (operands.empty()) return {};
    DimVector dims = operands.front()->dims;
    for (const DimOperand* const operand : operands.subspan(1))
        for (const Dim& dim : operand->dims)
            if (position_of(dim, dims) < 0) dims.push_back(dim);
    return dims;
}

int largest_rank(std::span<const DimOperand* const> operands) noexcept {
    int rank = 0;
    for (const DimOperand* const operand : operands) rank = std::max(rank, rank_of(*operand));
    return rank;
}

} // namespace purview
