// Defines purview/evaluation/reducer.hpp.

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/reducer.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/threads/branches.hpp"
#include "evaluation/numbers_only.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

constexpr index_t kFoldedBlock = 16384;
/// A guess at what an unknown function takes, in nanoseconds.
constexpr double kUnknownFold = 1;
/// So many equal elements are folded one by one.
constexpr index_t kFewRepeated = 16;

/// A state of any size, aligned.
using OwnState = boost::container::small_vector<std::max_align_t, 2>;

struct OwnStatesFold {
    using Type = OwnState;

    const BlockReducer* reducer;

    Type identity() const {
        const auto bytes = static_cast<std::size_t>(reducer->state_bytes());
        Type state((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
        reducer->clear(at(state), 1);
        return state;
    }
    Type combine(const Type& a, const Type& b) const {
        Type both = a;
        reducer->join(at(both), at(b), 1);
        return both;
    }
    static std::byte* at(Type& state) { return reinterpret_cast<std::byte*>(state.data()); }
    static const std::byte* at(const Type& state) {
        return reinterpret_cast<const std::byte*>(state.data());
    }
};

/// Elements of an operand of any type, range by range, for one thread.
class RangesOfElements {
public:
    explicit RangesOfElements(const Operand& source)
        : bytes_(source.dtype().size_bytes()),
          memory_(line_in_memory(source, BoolBytes::rejected, Alignment::natural)) {
        if (memory_ != nullptr) return;
        evaluation_.emplace(source, Reads::within_one_operation);
        block_.emplace(source.dtype(), std::min(source.dims.size(), kFoldedBlock));
    }
    const std::byte* operator()(index_t begin, index_t count) {
        if (memory_ != nullptr) return memory_ + begin * bytes_;
        evaluation_->read(begin, count, block_->data());
        return block_->at(0);
    }
    /// That may read them at once, if each takes so many nanoseconds.
    int threads(index_t count, double nanoseconds) const {
        if (evaluation_ && !evaluation_->is_thread_safe()) return 1;
        return worthwhile_threads(static_cast<double>(count) * nanoseconds);
    }

private:
    index_t bytes_;
    const std::byte* memory_;
    std::optional<Evaluation> evaluation_;
    std::optional<ElementBlock> block_;
};

/// Moves those that are not NaN to the front.
template <typename T>
index_t keep_numbers(const T* elements, index_t count, T* numbers) {
    return std::copy_if(elements, elements + count, numbers, [](T x) { return x == x; }) - numbers;
}

/// Folds blocks of one thread.
class FoldedBlocks {
public:
    FoldedBlocks(const BlockReducer& reducer, const FoldedPart& part, const Operand& source,
                 bool skips_nan)
        : reducer_(reducer),
          part_(part),
          group_(source.dims.size() / part.groups),
          ranges_(source) {
        if (skips_nan) numbers_.emplace(source.dtype(), std::min(group_, kFoldedBlock));
    }

    OwnState operator()(index_t begin, index_t count, index_t) {
        OwnState state = OwnStatesFold{&reducer_}.identity();
        into(OwnStatesFold::at(state), begin, count);
        return state;
    }
    int threads(index_t count) const { return ranges_.threads(count, kUnknownFold); }

private:
    void into(std::byte* state, index_t begin, index_t count) {
        const std::byte* elements = ranges_(begin, count);
        const index_t place = part_.place(begin / group_, begin % group_);
        if (!numbers_) return reducer_.fold_block(state, elements, count, place);
        if (reducer_.element() == float32)
            count = keep_numbers(reinterpret_cast<const float*>(elements), count,
                                 static_cast<float*>(numbers_->data()));
        else
            count = keep_numbers(reinterpret_cast<const double*>(elements), count,
                                 static_cast<double*>(numbers_->data()));
        if (count > 0) reducer_.fold_block(state, numbers_->data(), count, place);
    }

    const BlockReducer& reducer_;
    const FoldedPart& part_;
    index_t group_;
    RangesOfElements ranges_;
    std::optional<ElementBlock> numbers_;
};

/// Gets the state of a group, from any thread.
using FoundOwnState = FunctionRef<void(index_t group, const std::byte* state)>;

void fold_in_blocks(const BlockReducer& reducer, const FoldedPart& part, bool skips_nan,
                    FoundOwnState found) {
    const Operand source = elements_as(part.operand, reducer.element());
    const index_t size = source.dims.size();
    const auto make = [&] { return FoldedBlocks(reducer, part, source, skips_nan); };
    FoldedBlocks first = make();
    fold_groups(
        part.groups, size / part.groups, kFoldedBlock, first.threads(size), first, make,
        [&](index_t g, const OwnState& state) { found(g, OwnStatesFold::at(state)); },
        OwnStatesFold{&reducer});
}
void fold_in_blocks(const BlockReducer& reducer, const FoldedPart& part, bool skips_nan,
                    std::byte* states) {
    const index_t bytes = reducer.state_bytes();
    fold_in_blocks(reducer, part, skips_nan, [&](index_t g, const std::byte* state) {
        std::memcpy(states + g * bytes, state, static_cast<std::size_t>(bytes));
    });
}
/// Finishes each state as soon as it is there.
void run_in_blocks(const Reducer& reducer, const BlockReducer& blocks, const Operand& source,
                   index_t groups, bool skips_nan, void* out) {
    const index_t bytes = reducer.results_of(1) * reducer.result().size_bytes();
    const auto place = [](index_t, index_t at) { return at; };
    fold_in_blocks(blocks, {source, groups, place}, skips_nan,
                   [&](index_t g, const std::byte* state) {
                       reducer.finish(state, 1, source.dims.size() / groups,
                                      static_cast<std::byte*>(out) + g * bytes);
                   });
}

class ReducerOfNumbers final : public Reducer {
public:
    explicit ReducerOfNumbers(const BlockReducer& of)
        : Reducer(of.name(), of.result(), static_cast<std::size_t>(of.state_bytes()), false,
                  of.width()),
          of_(of) {}

    void clear(std::byte* states, index_t count) const override { of_.clear(states, count); }
    void fold(const FoldedPart& part, std::byte* states) const override {
        fold_in_blocks(of_, part, part.operand.dtype().is_floating(), states);
    }
    void run(const Operand& source, index_t groups, void* out) const override {
        run_in_blocks(*this, of_, source, groups, source.dtype().is_floating(), out);
    }
    bool keeps_order() const noexcept override { return of_.keeps_order(); }
    void join(std::byte* left, const std::byte* right, index_t count) const override {
        of_.join(left, right, count);
    }
    void finish(const std::byte* states, index_t count, index_t elements,
                void* out) const override {
        of_.finish(states, count, elements, out);
    }

private:
    const BlockReducer& of_;
};

} // namespace

bool BlockReducer::keeps_order() const noexcept { return !commutes_ || takes_places_; }

void BlockReducer::clear(std::byte* states, index_t count) const {
    const auto bytes = static_cast<std::size_t>(state_bytes());
    for (; count > 0; --count, states += bytes) std::memcpy(states, initial_, bytes);
}

void BlockReducer::fold(const FoldedPart& part, std::byte* states) const {
    fold_in_blocks(*this, part, false, states);
}

void BlockReducer::run(const Operand& source, index_t groups, void* out) const {
    run_in_blocks(*this, *this, source, groups, false, out);
}

void BlockReducer::repeat(std::byte* state, const void* element, index_t times) const {
    for (; times > 0 && times <= kFewRepeated; --times) fold_block(state, element, 1, 0);
    if (times == 0) return;
    const OwnStatesFold fold{this};
    OwnState power = fold.identity();
    fold_block(OwnStatesFold::at(power), element, 1, 0);
    for (;;) {
        if (times % 2 == 1) join(state, OwnStatesFold::at(power), 1);
        times /= 2;
        if (times == 0) return;
        power = fold.combine(power, power);
    }
}

std::unique_ptr<const Reducer> numbers_only(const BlockReducer& reducer) {
    return std::make_unique<ReducerOfNumbers>(reducer);
}

} // namespace purview
