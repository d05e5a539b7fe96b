#include <purview/mpi/iterate.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "evaluation/loops/step_windows.hpp"
#include "evaluation/loops/tiled_steps.hpp"
#include "expressions/fetch.hpp"
#include "expressions/plan.hpp"
#include "messages/ranks.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/loop.hpp>
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

std::byte* first_byte_of(const Operand& operand) {
    const Leaf& leaf = *leaf_of(operand);
    return static_cast<std::byte*>(leaf.writable_memory().data) +
           operand.dims.base() * leaf.writable_memory().stride_bytes;
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
    Blocks(Ranks& ranks, const Loop& loop, const StepBoxes& boxes, const Distribution& d,
           index_t depth)
        : ranks_(ranks), chains_(loop.rule()), own_(d.box()) {
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
        std::vector<Fetch::Want> wants;
        std::vector<Distribution> sources;
        for (std::size_t i = 0; i < loop.rule().states; ++i) {
            DistributedRegion region;
            for (std::size_t a = 0; a < window_.begin.size(); ++a)
                region.push_back({.first = window_.begin[a],
                                  .step = 1,
                                  .count = window_.end[a] - window_.begin[a],
                                  .extent = d.shape()[a]});
            wants.push_back({i, std::move(region)});
            sources.push_back(d);
        }
        fetch_ = Fetch(ranks, kWhat, sources, std::move(wants));
        std::string because;
        collective(ranks, kWhat, [&] {
            tiles_ = TiledSteps::make_in(loop.rule(), chains_, boxes, window_, loop.step_operands(),
                                         because);
            for (std::size_t i = 0; i < loop.rule().states; ++i) {
                if (!chains_.is_computed(i)) continue;
                const DType dtype = loop.step_operands()[i].dtype();
                for (std::size_t n = 0; n <= chains_.length(i); ++n)
                    places_.push_back({i, new_elements(kWhat, dtype, window_.extents())});
            }
        });
        std::array<std::uint64_t, 1> is_refused{tiles_ == nullptr};
        ranks.all_max(kWhat, is_refused);
        is_usable_ = is_refused[0] == 0;
    }

    bool is_usable() const noexcept { return is_usable_; }

    /// Takes steps of the states whose parts these are, as many as `depth` at most.
    void take(std::span<const Operand> parts, index_t steps) {
        std::vector<Operand> targets;
        for (std::size_t i = 0; i < parts.size(); ++i) targets.push_back(place(i, 0));
        fetch_.run(ranks_, kWhat, parts, targets, [] {});
        collective(ranks_, kWhat, [&] {
            StatePlaces places;
            for (index_t step = 0; step <= steps; ++step) {
                places.after.emplace_back();
                for (std::size_t i = 0; i < parts.size(); ++i)
                    places.after.back().push_back(first_byte_of(place(i, step)));
            }
            tiles_->take(places);
            for (std::size_t i = 0; i < parts.size(); ++i) {
                Operand inside = place(i, steps);
                for (std::size_t a = 0; a < own_.begin.size(); ++a)
                    inside.dims = dimensions::select(
                        inside.dims, static_cast<index_t>(a),
                        Range(own_.begin[a] - window_.begin[a], own_.end[a] - window_.begin[a]));
                purview::assign(inside, parts[i]);
            }
        });
    }

private:
    struct Place {
        std::size_t head;
        Operand elements;
    };
    /// Where a state lies after some steps: in one of the places of its chain, which are one more than it has states.
    const Operand& place(std::size_t state, index_t steps) const {
        const std::size_t head = chains_.head(state);
        const auto turns = static_cast<index_t>(chains_.length(head)) + 1;
        const index_t turn =
            ((static_cast<index_t>(chains_.lag(state)) - steps) % turns + turns) % turns;
        const auto first = std::ranges::find(places_, head, &Place::head);
        return (first + turn)->elements;
    }

    Ranks& ranks_;
    StateChains chains_;
    Box own_;
    StateWindow window_;
    Fetch fetch_;
    std::unique_ptr<TiledSteps> tiles_;
    std::vector<Place> places_;
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
    StepBoxes boxes;
    index_t depth = 0;
    std::vector<AnyDistributed> now;
    std::vector<AnyDistributed> next;
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
        boxes = boxes_of(loop.rule(), StateChains(loop.rule()));
        depth = std::min(
            steps, depth_of(loop.rule(), boxes, d, loop.step_operands().subspan(states.size())));
        call.add("depth", depth);
        for (const Operand& next_state : step_over(loop, states))
            call.add_hash(Graph(kWhat, next_state, ranks, Graph::Evaluated()).hash());
        for (const AnyDistributed& state : states) {
            now.emplace_back(new_elements(kWhat, state.dtype(), d.local_shape()), d);
            next.emplace_back(new_elements(kWhat, state.dtype(), d.local_shape()), d);
            purview::assign(state.local_operand(), now.back().local_operand());
        }
    });
    const auto& loop = static_cast<const Loop&>(*node);
    index_t taken = 0;
    if (depth > 1) {
        Blocks blocks(ranks, loop, boxes, d, depth);
        std::vector<Operand> parts;
        for (const AnyDistributed& state : now) parts.push_back(state.local_operand());
        while (blocks.is_usable() && taken < steps) {
            const index_t together = std::min(depth, steps - taken);
            blocks.take(parts, together);
            taken += together;
        }
    }
    for (; taken < steps; ++taken) {
        const std::vector<Operand> expressions = step_over(loop, now);
        for (std::size_t i = 0; i < states.size(); ++i) assign_any(expressions[i], next[i]);
        std::swap(now, next);
    }
    return now;
}

} // namespace purview
