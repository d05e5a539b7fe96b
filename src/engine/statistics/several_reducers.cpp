// Defines purview/evaluation/reducer.hpp.

#include <purview/evaluation/reducer.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/chunk_states.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/threads/branches.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements that all reducers fold before the next ones are read: a whole branch of the tree of each,
/// as their own chunks are powers of two that are smaller.
constexpr index_t kSharedBlock = 1 << 16;

/// States of several reducers side by side: one of each for each group.
class SeveralReducers final : public Reducer {
public:
    explicit SeveralReducers(std::span<const Reducer* const> reducers)
        : Reducer("reduce", float64, bytes_of(reducers)), reducers_(reducers) {}

    void clear(std::byte* states, index_t count) const override {
        for_each_state(states, count,
                       [](const Reducer& reducer, std::byte* state) { reducer.clear(state, 1); });
    }
    void fold(const FoldedPart& part, std::byte* states) const override {
        std::byte* place = states;
        for (const Reducer* const reducer : reducers_) {
            const index_t bytes = reducer->state_bytes();
            ElementBlock own(kDType<std::uint8_t>, part.groups * bytes);
            reducer->fold(part, own.at(0));
            for (index_t g = 0; g < part.groups; ++g)
                std::memcpy(place + g * state_bytes(), own.at(g * bytes),
                            static_cast<std::size_t>(bytes));
            place += aligned(bytes);
        }
    }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        for_each_state(left, count, [&](const Reducer& reducer, std::byte* state) {
            reducer.join(state, right + (state - left), 1);
        });
    }
    bool keeps_order() const noexcept override {
        return std::ranges::any_of(reducers_, &Reducer::keeps_order);
    }
    /// Each is finished by itself: `states_of`.
    void finish(const std::byte*, index_t, index_t, void*) const override {}

    /// Calls `f(i, states)` with the states of each reducer.
    template <typename F>
    void for_each_reducer(const std::byte* states, index_t count, F f) const {
        for (std::size_t i = 0; i < reducers_.size(); ++i) {
            const index_t bytes = reducers_[i]->state_bytes();
            ElementBlock own(kDType<std::uint8_t>, count * bytes);
            for (index_t g = 0; g < count; ++g)
                std::memcpy(own.at(g * bytes), states + g * state_bytes(),
                            static_cast<std::size_t>(bytes));
            f(i, own.at(0));
            states += aligned(bytes);
        }
    }

private:
    static index_t aligned(index_t bytes) {
        constexpr index_t kAlignment = alignof(std::max_align_t);
        return (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    static std::size_t bytes_of(std::span<const Reducer* const> reducers) {
        index_t bytes = 0;
        for (const Reducer* const reducer : reducers) bytes += aligned(reducer->state_bytes());
        return static_cast<std::size_t>(bytes);
    }
    template <typename F>
    void for_each_state(std::byte* states, index_t count, F f) const {
        for (; count > 0; --count)
            for (const Reducer* const reducer : reducers_) {
                f(*reducer, states);
                states += aligned(reducer->state_bytes());
            }
    }

    std::span<const Reducer* const> reducers_;
};

struct SharedStatesFold {
    using Type = std::vector<std::max_align_t>;

    const Reducer* reducer;

    Type identity() const {
        Type states(static_cast<std::size_t>(reducer->state_bytes()) / sizeof(std::max_align_t) +
                    1);
        reducer->clear(reinterpret_cast<std::byte*>(states.data()), 1);
        return states;
    }
    Type combine(const Type& a, const Type& b) const {
        Type both = a;
        reducer->join(reinterpret_cast<std::byte*>(both.data()),
                      reinterpret_cast<const std::byte*>(b.data()), 1);
        return both;
    }
};

/// Blocks of elements that lie side by side in memory, or are computed there, for one thread.
class SharedBlocks {
public:
    SharedBlocks(const Reducer& reducer, const Operand& source)
        : reducer_(reducer),
          dtype_(source.dtype()),
          memory_(line_in_memory(source, BoolBytes::rejected, Alignment::natural)) {
        if (memory_ != nullptr) return;
        store_.emplace(source);
        block_.emplace(dtype_, std::min(source.dims.size(), kSharedBlock));
    }

    SharedStatesFold::Type operator()(index_t begin, index_t count, index_t) {
        if (store_) (*store_)(begin, count, block_->data());
        auto* const elements =
            const_cast<std::byte*>(store_ ? block_->at(0) : memory_ + begin * dtype_.size_bytes());
        const Operand block = memory_operand(dtype_, elements, Shape{count});
        SharedStatesFold::Type states = SharedStatesFold{&reducer_}.identity();
        const auto place = [&](index_t, index_t at) { return begin + at; };
        reducer_.fold({block, 1, place}, reinterpret_cast<std::byte*>(states.data()));
        return states;
    }
    int threads(index_t count) const {
        constexpr double kElement = 1; // nanoseconds, of all reducers
        if (store_ && !store_->plan().thread_safe) return 1;
        return worthwhile_threads(static_cast<double>(count) * kElement);
    }

private:
    const Reducer& reducer_;
    DType dtype_;
    const std::byte* memory_;
    std::optional<RangeStore> store_;
    std::optional<ElementBlock> block_;
};

} // namespace

void reduce_groups_together(std::span<const Reducer* const> reducers, const Operand& source,
                            index_t groups, std::span<void* const> out) {
    const index_t size = source.dims.size();
    if (reducers.size() == 1 || size == 0 || groups == 0 || lies_elsewhere(source)) {
        for (std::size_t i = 0; i < reducers.size(); ++i)
            reduce_groups(*reducers[i], source, groups, out[i]);
        return;
    }
    std::vector<const Reducer*> folded; // the first of each kind of states
    for (const Reducer* const reducer : reducers)
        if (std::ranges::none_of(
                folded, [&](const Reducer* other) { return reducer->has_states_of(*other); }))
            folded.push_back(reducer);
    // First what computes most, while the elements come from memory: its states are the largest.
    std::ranges::stable_sort(folded, std::greater(), &Reducer::state_bytes);
    /// Finishes states for all that have them.
    const auto finish_all = [&](const Reducer& fold, const Box& box, ShapeSpan kept,
                                const std::byte* states) {
        for (std::size_t i = 0; i < reducers.size(); ++i)
            if (reducers[i]->has_states_of(fold))
                finish_to(*reducers[i], size / groups, box, kept, states, out[i]);
    };
    const SeveralReducers several(folded);
    const auto finish = [&](const Box& box, ShapeSpan kept, const std::byte* states) {
        several.for_each_reducer(states, box.size(), [&](std::size_t i, const std::byte* own) {
            finish_all(*folded[i], box, kept, own);
        });
    };
    if (folded.size() > 1 && fold_chunks(several, {source, groups, place_itself}, finish)) return;
    const EnteredOperation entered(several.name(), source);
    if (folded.size() > 1 && groups == 1 && size >= 2 * kSharedBlock &&
        (*entered).dims.is_contiguous() && source.dtype().is_builtin()) {
        const auto make = [&] { return SharedBlocks(several, *entered); };
        SharedBlocks first = make();
        return fold_groups(
            1, size, kSharedBlock, first.threads(size), first, make,
            [&](index_t, const SharedStatesFold::Type& states) {
                const Shape one{1};
                finish({Shape{0}, one}, one, reinterpret_cast<const std::byte*>(states.data()));
            },
            SharedStatesFold{&several});
    }
    for (const Reducer* const fold : folded) {
        std::size_t last = 0;
        index_t users = 0;
        for (std::size_t i = 0; i < reducers.size(); ++i)
            if (reducers[i]->has_states_of(*fold)) last = i, ++users;
        if (users == 1) {
            reduce_groups(*reducers[last], *entered, groups, out[last]);
            continue;
        }
        PartialBlock states(groups * fold->state_bytes(), fold->name());
        fold_part(*fold, {*entered, groups, place_itself}, states.memory.at(0));
        const Shape kept{groups};
        finish_all(*fold, {Shape{0}, kept}, kept, states.memory.at(0));
    }
}

} // namespace purview
