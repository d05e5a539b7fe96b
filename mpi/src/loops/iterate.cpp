#include <purview/mpi/iterate.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "evaluation/loops/placed_states.hpp"
#include "evaluation/loops/step_windows.hpp"
#include "evaluation/loops/tiled_steps.hpp"
#include "expressions/fetch.hpp"
#include "expressions/plan.hpp"
#include "messages/ranks.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/mpi/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

constexpr const char* kWhat = "iterate";
/// Steps between two messages, at most.
constexpr index_t kDeepest = 16;

/// The loop that the function makes of the whole states.
NodePtr traced(const FunctionOfSymbols& function, std::span<const AnyDistributed> states,
               index_t steps) {
    LoopRequest request{.what = kWhat, .step = function};
    for (const AnyDistributed& state : states) request.states.push_back(state.global_operand());
    request.most = steps;
    request.is_put_off = true;
    return loop_operands(request)[0].node;
}

/// Whether a state is what it was before each step.
bool stays(const LoopRule& rule, std::size_t state) {
    const Operand& next = rule.step->outputs[state];
    return next.node == rule.step->placeholders[state] && is_whole(next);
}

/// A loop as blocks take it: what its step reads besides, and can be divided as states are, is a state that stays.
struct DividedLoop {
    LoopRule rule;
    std::vector<Operand> operands; ///< of the step
};
DividedLoop divided(const Loop& loop, const Distribution& d) {
    const LoopRule& given = loop.rule();
    const std::span<const Operand> operands = loop.step_operands();
    const Dimensions whole = Dimensions::row_major(d.shape());
    std::vector<std::size_t> order;
    const auto is_field = [&](std::size_t i) {
        return i >= given.states && operands[i].node->reads(Below::device) &&
               operands[i].dtype().is_builtin() && operands[i].dims.size() == whole.size();
    };
    for (std::size_t i = 0; i < operands.size(); ++i) order.push_back(i);
    std::ranges::stable_partition(order,
                                  [&](std::size_t i) { return i < given.states || is_field(i); });
    DividedLoop made{given, {}};
    TracedOutputs step;
    std::vector<Operand> kept, bindings(order.size());
    for (const std::size_t i : order) {
        const Dimensions flat = operands[i].dims;
        made.operands.push_back(is_field(i) ? Operand{operands[i].node, whole} : operands[i]);
        const Operand& own = made.operands.back();
        const Operand symbol =
            placeholder_operand(own.dtype(), own.dims.max_shape(), step.placeholders.size());
        step.placeholders.push_back(symbol.node);
        bindings[i] = {symbol.node, Dimensions::row_major(flat.max_shape())};
        if (is_field(i)) kept.push_back(symbol);
    }
    std::vector<const Operand*> by_slot;
    for (const Operand& binding : bindings) by_slot.push_back(&binding);
    step.outputs = Substitution(given.step->outputs)(by_slot);
    step.outputs.insert(step.outputs.end(), kept.begin(), kept.end());
    made.rule.states += kept.size();
    made.rule.step = std::make_shared<const TracedOutputs>(std::move(step));
    return made;
}

/// How many steps blocks take between messages: none where they have to be taken one by one. The same on all ranks.
index_t depth_of(const LoopRule& rule, const StepBoxes& boxes, const Distribution& d,
                 std::span<const Operand> others) {
    if (!d.is_blocks() || d.grid().extents().size() > 2) return 0;
    for (const Operand& other : others)
        if (other.node->reads(Below::device)) return 0;
    const bool rows_only = d.grid().extents().size() == 1 || d.grid().extents()[1] == 1;
    if (!refusal_of_windows(rule, boxes, rows_only).empty()) return 0;
    index_t depth = kDeepest;
    for (std::size_t a = 0; a < d.grid().extents().size(); ++a) {
        if (d.grid().extents()[a] == 1) continue;
        const AxisReach& along = a == 0 ? boxes.rows : boxes.columns;
        const index_t reach = std::max<index_t>(std::max(along.below, along.above), 1);
        for (int rank = 0; rank < d.communicator().size(); ++rank) {
            const Box box = d.box(rank);
            // What is computed twice is to be less than a block, and a window less than the axis.
            const index_t room = std::min((box.end[a] - box.begin[a]) / 2,
                                          (d.shape()[a] - (box.end[a] - box.begin[a]) - 1) / 2);
            depth = std::min(depth, room / reach);
        }
    }
    return depth;
}

/// A rank's block, and around it what several steps read.
class Blocks {
public:
    /// `parts` are this rank's of the states, which are not written.
    Blocks(Ranks& ranks, const DividedLoop& loop, StepBoxes boxes, const Distribution& d,
           std::vector<Operand> parts, index_t depth)
        : ranks_(ranks),
          chains_(loop.rule),
          parts_(std::move(parts)),
          own_(d.box()),
          places_(parts_.size()) {
        window_ = {own_.begin, own_.end};
        for (std::size_t a = 0; a < d.grid().extents().size(); ++a) {
            const AxisReach& along = a == 0 ? boxes.rows : boxes.columns;
            const index_t extent = d.shape()[a];
            if (window_.is_whole(a, extent)) continue;
            const index_t by = depth * std::max(along.below, along.above);
            window_.begin[a] -= by;
            window_.end[a] += by;
            if (along.is_ring) continue;
            window_.begin[a] = std::max<index_t>(window_.begin[a], 0);
            window_.end[a] = std::min(window_.end[a], extent);
        }
        std::vector<std::size_t> stay;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            (stays(loop.rule, i) ? stay : move_).push_back(i);
        std::erase_if(boxes.boxes,
                      [&](const StepBox& box) { return stays(loop.rule, box.output); });
        std::string because;
        collective(ranks, kWhat, [&] {
            tiles_ =
                TiledSteps::make_in(loop.rule, chains_, boxes, window_, loop.operands, because);
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                if (!chains_.is_computed(i)) continue;
                const std::size_t turns = stays(loop.rule, i) ? 1 : chains_.length(i) + 1;
                while (places_[i].size() < turns)
                    places_[i].push_back(new_elements(kWhat, parts_[i].dtype(), window_.extents()));
            }
        });
        std::array<std::uint64_t, 1> is_refused{tiles_ == nullptr};
        ranks.all_max(kWhat, is_refused);
        is_usable_ = is_refused[0] == 0;
        if (!is_usable_) return;
        fetch_ = fetch_of(move_, d);
        if (!stay.empty()) fetch(fetch_of(stay, d), stay);
    }

    bool is_usable() const noexcept { return is_usable_; }

    /// Takes steps, as many as `depth` at most.
    void take(index_t steps) {
        fetch(fetch_, move_);
        collective(ranks_, kWhat, [&] {
            StatePlaces places;
            for (index_t step = taken_; step <= taken_ + steps; ++step) {
                places.after.emplace_back();
                for (std::size_t i = 0; i < parts_.size(); ++i)
                    places.after.back().push_back(line_of(place(i, step)));
            }
            tiles_->take(places);
        });
        taken_ += steps;
        // What lies in windows stays there, and is sent from there.
        for (const std::size_t i : move_) parts_[i] = block(i);
    }
    /// This rank's part of a state after the steps taken.
    const Operand& part(std::size_t state) const { return parts_[state]; }

private:
    /// What brings the windows of some states.
    Fetch fetch_of(std::span<const std::size_t> states, const Distribution& d) const {
        DistributedRegion region;
        for (std::size_t a = 0; a < window_.begin.size(); ++a)
            region.push_back({.first = window_.begin[a],
                              .step = 1,
                              .count = window_.end[a] - window_.begin[a],
                              .extent = d.shape()[a]});
        std::vector<Fetch::Want> wants;
        for (const std::size_t i : states) wants.push_back({i, region});
        return Fetch(ranks_, kWhat, std::vector<Distribution>(parts_.size(), d), std::move(wants));
    }
    void fetch(const Fetch& fetch, std::span<const std::size_t> states) const {
        std::vector<Operand> targets;
        for (const std::size_t i : states) targets.push_back(place(i, taken_));
        fetch.run(ranks_, kWhat, parts_, targets, [] {});
    }
    Operand block(std::size_t state) const {
        Operand inside = place(state, taken_);
        for (std::size_t a = 0; a < own_.begin.size(); ++a)
            inside.dims = dimensions::select(
                inside.dims, static_cast<index_t>(a),
                Range(own_.begin[a] - window_.begin[a], own_.end[a] - window_.begin[a]));
        return inside;
    }
    /// Where a state lies after some steps: in one of the places of its chain, which are one more than it has states; or
    /// where it stays.
    const Operand& place(std::size_t state, index_t steps) const {
        const std::vector<Operand>& places = places_[chains_.head(state)];
        const auto turns = std::ssize(places);
        const index_t turn = (static_cast<index_t>(chains_.lag(state)) - steps) % turns;
        return places[static_cast<std::size_t>(turn < 0 ? turn + turns : turn)];
    }

    Ranks& ranks_;
    StateChains chains_;
    std::vector<Operand> parts_;
    Box own_;
    StateWindow window_;
    std::vector<std::size_t> move_; // states that do not stay as they are
    Fetch fetch_;                   // of these
    std::unique_ptr<TiledSteps> tiles_;
    std::vector<std::vector<Operand>> places_; // of the heads of chains
    index_t taken_ = 0;
    bool is_usable_ = false;
};

/// One step as expressions over the whole states.
std::vector<Operand> step_over(const Loop& loop, std::span<const AnyDistributed> states) {
    std::vector<Operand> arguments(loop.step_operands().begin(), loop.step_operands().end());
    for (std::size_t i = 0; i < states.size(); ++i) arguments[i] = states[i].global_operand();
    std::vector<const Operand*> bindings;
    for (const Operand& argument : arguments) bindings.push_back(&argument);
    return Substitution(loop.rule().step->outputs)(bindings);
}

} // namespace

std::vector<AnyDistributed> iterate_any(const FunctionOfSymbols& function,
                                        std::span<const AnyDistributed> states, index_t steps) {
    const Distribution& d = states[0].distribution();
    Ranks& ranks = d.communicator().ranks();
    const ExitNotice exit_notice(ranks, kWhat);
    NodePtr node;
    DividedLoop loop_of_blocks;
    StepBoxes boxes;
    index_t depth = 0;
    std::vector<AnyDistributed> now;
    agree(ranks, kWhat, [&](CallText& call) {
        describe(call, d);
        call.add("steps", steps);
        for (std::size_t i = 1; i < states.size(); ++i)
            if (!(states[i].distribution() == d))
                throw DistributionError(fmt::format("{}: state {} is {}, and state 0 {}", kWhat, i,
                                                    to_string(states[i].distribution()),
                                                    to_string(d)));
        node = traced(function, states, steps);
        const auto& loop = static_cast<const Loop&>(*node);
        loop_of_blocks = divided(loop, d);
        const auto& [rule, operands] = loop_of_blocks;
        boxes = boxes_of(rule, StateChains(rule));
        depth = std::min(steps, depth_of(rule, boxes, d, std::span(operands).subspan(rule.states)));
        call.add("depth", depth);
        for (const Operand& next_state : step_over(loop, states))
            call.add_hash(Graph(kWhat, next_state, ranks, Graph::Evaluated()).hash());
        for (const AnyDistributed& state : states)
            now.emplace_back(new_elements(kWhat, state.dtype(), d.local_shape()), d);
    });
    const auto& loop = static_cast<const Loop&>(*node);
    if (depth > 1) {
        std::vector<Operand> parts;
        for (const AnyDistributed& state : states) parts.push_back(state.local_operand());
        for (std::size_t i = parts.size(); i < loop_of_blocks.rule.states; ++i)
            parts.push_back(evaluate_any(kWhat, loop_of_blocks.operands[i], d).local_operand());
        Blocks blocks(ranks, loop_of_blocks, std::move(boxes), d, std::move(parts), depth);
        if (blocks.is_usable()) {
            for (index_t taken = 0; taken < steps; taken += depth)
                blocks.take(std::min(depth, steps - taken));
            collective(ranks, kWhat, [&] {
                for (std::size_t i = 0; i < states.size(); ++i)
                    purview::assign(blocks.part(i), now[i].local_operand());
            });
            return now;
        }
    }
    std::vector<AnyDistributed> next;
    collective(ranks, kWhat, [&] {
        for (std::size_t i = 0; i < states.size(); ++i) {
            next.emplace_back(new_elements(kWhat, states[i].dtype(), d.local_shape()), d);
            purview::assign(states[i].local_operand(), now[i].local_operand());
        }
    });
    for (index_t taken = 0; taken < steps; ++taken) {
        const std::vector<Operand> expressions = step_over(loop, now);
        for (std::size_t i = 0; i < states.size(); ++i) assign_any(expressions[i], next[i]);
        std::swap(now, next);
    }
    return now;
}

} // namespace purview
