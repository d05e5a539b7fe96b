#include "engine/loops/cached_steps.hpp"

#include "engine/loops/padded_states.hpp"
#include "engine/loops/tiling.hpp"

#include <purview/evaluation/threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// A step that takes longer is computed on all threads.
constexpr double kLongest = 20'000;
/// How long steps go on until somebody may cancel them, in nanoseconds.
constexpr double kUnwatched = 200'000;

class CachedSteps final : public TiledSteps {
public:
    CachedSteps(const LoopRule& rule, const StateChains& chains, BoundBoxes boxes, BoxRuns runs,
                bool is_flat)
        : chains_(chains),
          boxes_(std::move(boxes)),
          runs_(std::move(runs)),
          is_flat_(is_flat),
          states_(rule, chains, boxes_.boxes().margins, overwritten(rule, chains, boxes_)),
          before_(rule.states) {}

    index_t depth() const noexcept override {
        return std::clamp<index_t>(
            static_cast<index_t>(kUnwatched / std::max(boxes_.nanoseconds(), 50.)), 1, 4096);
    }
    bool has_own_places() const noexcept override { return true; }
    bool may_overwrite(std::size_t) const noexcept override { return false; }

    void take(const StatePlaces& places) override {
        const Interval rows{0, boxes_.shapes()[0][0]};
        const Interval columns{0, boxes_.shapes()[0].size() > 1 ? boxes_.shapes()[0][1] : 1};
        if (!places.before.empty()) {
            taken_ = 0;
            for (std::size_t i = 0; i < before_.size(); ++i) {
                states_.copy_in(i, taken_, places.before[i], rows, columns);
                states_.fill(i, taken_);
            }
        }
        for (index_t step = 0; step < places.steps; ++step) take_step();
        for (std::size_t i = 0; i < places.behind.size(); ++i)
            if (places.behind[i] != nullptr)
                states_.copy_out(i, taken_, places.behind[i], rows, columns);
    }

    std::string describe() const override {
        const std::string step = is_flat_            ? "one pass over their memory"
                                 : runs_.size() == 1 ? "one box"
                                                     : fmt::format("{} boxes", runs_.size());
        return fmt::format("way: the states stay in the cache, each with margins that repeat its "
                           "other ends; a step is {}\n",
                           step);
    }

private:
    static std::vector<bool> overwritten(const LoopRule& rule, const StateChains& chains,
                                         const BoundBoxes& boxes) {
        std::vector<bool> may(rule.states);
        for (std::size_t i = 0; i < may.size(); ++i)
            may[i] = chains.is_computed(i) && engine::may_overwrite(chains, boxes.boxes(), i);
        return may;
    }

    void take_step() {
        for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = states_.after(i, taken_);
        ++taken_;
        const std::vector<StepBox>& boxes = boxes_.boxes().boxes;
        for (std::size_t i = 0; i < runs_.size(); ++i)
            runs_[i]->run_all(before_, states_.after(boxes[i].state, taken_));
        for (std::size_t i = 0; i < before_.size(); ++i)
            if (chains_.is_computed(i)) states_.fill(i, taken_);
    }

    const StateChains& chains_;
    BoundBoxes boxes_;
    BoxRuns runs_;
    bool is_flat_;
    PaddedStates states_;
    index_t taken_ = 0;
    std::vector<std::byte*> before_;
};

} // namespace

std::unique_ptr<TiledSteps> cached_steps(const LoopRule& rule, const StateChains& chains,
                                         BoundBoxes boxes) {
    BoxRuns flat = boxes.make_flat_runs();
    const bool is_flat = !flat.empty();
    BoxRuns runs = is_flat ? std::move(flat) : boxes.make_runs(boxes.shapes()[0][0]);
    if (runs.empty()) return nullptr;
    return std::make_unique<CachedSteps>(rule, chains, std::move(boxes), std::move(runs), is_flat);
}

bool is_for_one_thread(double nanoseconds) { return threads() == 1 || nanoseconds < kLongest; }

} // namespace purview::engine
