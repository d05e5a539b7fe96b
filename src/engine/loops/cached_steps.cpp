#include "engine/loops/cached_steps.hpp"

#include "engine/loops/padded_states.hpp"
#include "engine/places/line_in_memory.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// A step that takes longer is computed on all threads.
constexpr double kLongest = 20'000;
/// How long steps go on until somebody may cancel them, in nanoseconds.
constexpr double kUnwatched = 200'000;

const void* value_of(const Operand& number) {
    return static_cast<const Constant&>(*number.node).value();
}
/// A number to which programs point: another one may be written there.
bool is_number(const Operand& x) {
    return x.node->kind() == NodeKind::constant && x.dtype().is_builtin() && x.dtype() != boolean;
}

class CachedSteps final : public TiledSteps {
public:
    CachedSteps(const LoopRule& rule, const StateChains& chains, BoundBoxes boxes)
        : rule_(rule),
          chains_(chains),
          boxes_(std::move(boxes)),
          states_(rule_, chains_, boxes_.boxes()),
          before_(rule.states + rule.inputs) {}

    /// Whether all boxes can be computed where they lie.
    bool prepare() {
        runs_ = boxes_.make_runs(boxes_.longest());
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (std::unique_ptr<BoxRun> flat = boxes_.make_flat_run(i)) {
                runs_[i] = std::move(flat);
                ++flat_;
            }
        return !runs_.empty();
    }

    index_t depth() const noexcept override {
        return std::clamp<index_t>(
            static_cast<index_t>(kUnwatched / std::max(boxes_.nanoseconds(), 50.)), 1, 4096);
    }
    bool has_own_places() const noexcept override { return true; }
    bool has_rows() const noexcept override { return true; }
    bool may_overwrite(std::size_t) const noexcept override { return false; }

    bool rebind(std::span<const Operand> operands) override {
        const std::span<const Operand> others = operands.subspan(before_.size());
        const std::vector<Operand>& own_others = boxes_.others();
        std::vector<std::pair<const Node*, const std::byte*>> moved;
        for (std::size_t i = 0; i < others.size(); ++i) {
            const auto* const own = node_as<Leaf>(*own_others[i].node);
            const auto* const leaf = node_as<Leaf>(*others[i].node);
            if (own == nullptr && others[i].node == own_others[i].node) continue;
            if (is_number(others[i]) && is_number(own_others[i]) &&
                others[i].dtype() == own_others[i].dtype())
                continue;
            if (leaf == nullptr || own == nullptr || leaf->dtype() != own->dtype() ||
                !leaf->memory() || leaf->memory().stride_bytes != own->memory().stride_bytes ||
                !(others[i].dims == own_others[i].dims))
                return false;
            const auto* const first = static_cast<const std::byte*>(leaf->memory().data);
            if (!is_aligned(first, leaf->dtype())) return false;
            for (const auto& [node, at] : moved)
                if (node == own && at != first) return false;
            moved.emplace_back(own, first);
        }
        for (const auto& [node, first] : moved)
            for (const auto& run : runs_) run->move_leaf(node, first);
        for (std::size_t i = 0; i < others.size(); ++i)
            if (others[i].node != own_others[i].node && is_number(others[i]))
                std::memcpy(const_cast<void*>(value_of(own_others[i])), value_of(others[i]),
                            static_cast<std::size_t>(others[i].dtype().size_bytes()));
        return true;
    }

    void take(const StatePlaces& places) override {
        const Interval rows{0, boxes_.shapes()[0][0]};
        const Interval columns{0, boxes_.shapes()[0].size() > 1 ? boxes_.shapes()[0][1] : 1};
        if (!places.before.empty()) {
            taken_ = 0;
            for (std::size_t i = 0; i < rule_.states; ++i) {
                states_.copy_in(i, taken_, places.before[i], rows, columns);
                states_.fill(i, states_.after(i, taken_));
            }
        }
        for (index_t step = 0; step < places.steps; ++step) {
            for (std::size_t i = 0; i < places.kept.size(); ++i)
                if (places.kept[i].first != nullptr)
                    states_.copy_out(i, taken_, places.kept[i].of(step), rows, columns);
            take_step(places, step);
        }
        for (std::size_t i = 0; i < places.behind.size(); ++i)
            if (places.behind[i] != nullptr)
                states_.copy_out(i, taken_, places.behind[i], rows, columns);
    }

    std::string describe() const override {
        const std::string step = flat_ == runs_.size() && flat_ > 0 ? "one pass over their memory"
                                 : runs_.size() == 1                ? "one box"
                                                     : fmt::format("{} boxes", runs_.size());
        return fmt::format("way: the states stay in the cache, each with margins that repeat its "
                           "other ends; a step is {}\n",
                           step);
    }

private:
    void take_step(const StatePlaces& places, index_t step) {
        for (std::size_t i = 0; i < rule_.states; ++i) before_[i] = states_.after(i, taken_);
        for (std::size_t i = 0; i < rule_.inputs; ++i) {
            const std::size_t slot = rule_.states + i;
            before_[slot] = places.inputs[i].of(step);
            if (!boxes_.boxes().are_inputs_padded[slot]) continue;
            states_.copy_in(slot, before_[slot]);
            before_[slot] = states_.row(slot);
            states_.fill(slot, before_[slot]);
        }
        ++taken_;
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (std::byte* const to = place_of(boxes_.boxes().boxes[i].output, places, step))
                runs_[i]->run_all(before_, to);
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (chains_.is_computed(i)) states_.fill(i, states_.after(i, taken_));
        for (std::size_t i = 0; i < places.outputs.size(); ++i)
            if (places.outputs[i].first != nullptr &&
                boxes_.boxes().are_outputs_padded[rule_.states + i])
                states_.copy_out(rule_.states + rule_.inputs + i, places.outputs[i].of(step));
    }
    /// Where a step writes an output; null: nobody asks for it.
    std::byte* place_of(std::size_t output, const StatePlaces& places, index_t step) const {
        if (output < rule_.states) return states_.after(output, taken_);
        const StatePlaces::Rows& rows = places.outputs[output - rule_.states];
        if (rows.first == nullptr || !boxes_.boxes().are_outputs_padded[output])
            return rows.first == nullptr ? nullptr : rows.of(step);
        return states_.row(rule_.inputs + output);
    }

    LoopRule rule_;
    StateChains chains_;
    BoundBoxes boxes_;
    BoxRuns runs_;
    std::size_t flat_ = 0; // runs that are lines
    PaddedStates states_;
    index_t taken_ = 0;
    std::vector<std::byte*> before_; // of states, and of rows of inputs
};

} // namespace

std::unique_ptr<TiledSteps> cached_steps(const LoopRule& rule, const StateChains& chains,
                                         BoundBoxes boxes) {
    auto made = std::make_unique<CachedSteps>(rule, chains, std::move(boxes));
    return made->prepare() ? std::move(made) : nullptr;
}

std::vector<Operand> with_own_numbers(std::span<const Operand> operands) {
    std::vector<Operand> own(operands.begin(), operands.end());
    for (Operand& x : own)
        if (is_number(x))
            visit_dtype(x.dtype(), "loop", [&]<typename T>(std::type_identity<T>) {
                x.node = make_node<ConstantOf<T>>(*static_cast<const T*>(value_of(x)));
            });
    return own;
}

bool is_for_one_thread(double nanoseconds) { return threads() == 1 || nanoseconds < kLongest; }

} // namespace purview::engine
