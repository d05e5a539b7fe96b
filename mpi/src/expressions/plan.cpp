#include "expressions/plan.hpp"

#include "distributions/distributed_elements.hpp"
#include "expressions/plan_builder.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/piecewise.hpp>

#include <exception>

namespace purview::inline v0_1::mpi {

DistributedPlan::DistributedPlan(Ranks& ranks, const char* what, const Graph& graph,
                                 const Dimensions& part, Cut cut) {
    std::vector<Fetch::Want> wants;
    std::vector<Distribution> sources;
    for (const Source& source : graph.sources()) sources.push_back(source.distribution);
    // What this rank cannot plan, no rank does.
    collective(ranks, what, [&] {
        Builder builder(*this, ranks, graph, part);
        wants = builder.build(cut);
    });
    fetch_ = Fetch(ranks, what, sources, std::move(wants));
}

Operand DistributedPlan::operand_in(const PartBox& box, const Graph& graph,
                                    std::span<const Operand> fetched) {
    std::vector<Operand> made;
    made.reserve(box.steps.size());
    std::vector<Operand> operands;
    for (const Step& step : box.steps) {
        const Node& node = *graph.nodes()[step.node];
        if (step.want >= 0) {
            made.push_back({fetched[static_cast<std::size_t>(step.want)].node, step.view});
        } else if (step.source >= 0) {
            const Source& source = graph.sources()[static_cast<std::size_t>(step.source)];
            made.push_back({source.whole.node ? source.whole.node : source.part.node, step.view});
        } else if (step.operands.empty()) {
            made.push_back({NodePtr(&node), step.view});
        } else {
            operands.clear();
            for (const std::uint32_t operand : step.operands) operands.push_back(made[operand]);
            if (const Piecewise* const pieces = node_as<Piecewise>(node)) {
                const Operand whole =
                    piecewise_operand(pieces->name(), operands, step.begins, step.shape);
                made.push_back(seen_through(step.view, whole));
            } else {
                made.push_back({with_operands(node, operands), Dimensions::row_major(step.shape)});
            }
        }
    }
    return std::move(made.back());
}

std::vector<Operand> DistributedPlan::memory(const char* what, const Graph& graph) const {
    std::vector<Operand> memory;
    for (const Fetch::Want& want : fetch_.wants())
        memory.push_back(
            new_elements(what, graph.sources()[want.source].part.dtype(), counts_of(want.region)));
    return memory;
}

void DistributedPlan::run(Ranks& ranks, const char* what, const Graph& graph,
                          std::span<const Operand> fetched,
                          FunctionRef<void(const Operand&, const Box&)> work) const {
    std::exception_ptr thrown; // others wait for what this rank sends, whatever its own work does
    fetch(ranks, what, graph, fetched, [&] {
        try {
            for (const PartBox& box : boxes_)
                if (!box.waits) work(operand_in(box, graph, fetched), box.box);
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    if (thrown) std::rethrow_exception(thrown);
    for (const PartBox& box : boxes_)
        if (box.waits) work(operand_in(box, graph, fetched), box.box);
}

void DistributedPlan::fetch(Ranks& ranks, const char* what, const Graph& graph,
                            std::span<const Operand> fetched, FunctionRef<void()> meanwhile) const {
    std::vector<Operand> parts;
    {
        const ExitNotice exit_notice(ranks, what);
        for (const Source& source : graph.sources()) parts.push_back(source.part);
    }
    fetch_.run(ranks, what, parts, fetched, meanwhile);
}

std::shared_ptr<const DistributedPlan> DistributedPlans::find(const Graph::Key& key,
                                                              const Distribution& d) {
    for (std::size_t i = known_.size(); i-- > 0;) {
        if (!(known_[i].distribution == d) || !(known_[i].key == key)) continue;
        Known known = std::move(known_[i]);
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(i));
        known_.push_back(std::move(known));
        return known_.back().plan;
    }
    return nullptr;
}

void DistributedPlans::add(Graph::Key key, const Distribution& d,
                           std::shared_ptr<const DistributedPlan> plan) {
    // The communicator has the plans, and not the other way round.
    const auto unowned = [](const Distribution& x) {
        const Distribution::State& state = x.state();
        const Communicator same(
            std::shared_ptr<Ranks>(std::shared_ptr<void>(), &x.communicator().ranks()));
        return Distribution(std::make_shared<const Distribution::State>(
            Grid(same, AxisValues(state.grid.extents())), state.shape, state.axes));
    };
    for (Distribution& each : key.distributions) each = unowned(each);
    if (known_.size() == kMost) known_.erase(known_.begin());
    known_.push_back({std::move(key), unowned(d), std::move(plan)});
}

} // namespace purview
