#include <purview/mpi/run.hpp>

#include "computations/partial_results.hpp"
#include "distributions/derived.hpp"
#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/planned.hpp"
#include "expressions/seen_part.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reductions/reduced_distribution.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/reductions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

/// The leading axes that the groups of a reduction are.
std::size_t kept_axes(const Reduce& node) {
    const ShapeSpan shape = node.operand().dims.max_shape();
    std::size_t kept = 0;
    for (index_t groups = 1; groups != node.groups() && kept < shape.size(); ++kept)
        groups *= shape[kept];
    return kept;
}

/// What a node is that is not computed over ranks.
std::string described(const Node& node) {
    return visit(
        node, [](const Scatter&) { return std::string("scattering of elements"); },
        [](const ScanNode&) { return std::string("scan"); },
        [](const OpaqueStage& stage) { return std::string(stage.function().name()); },
        [](const OneOf<Loop, Choice> auto&) { return std::string("loop or choice"); },
        [](const auto&) { return std::string("operation"); });
}

bool is_stage(const Node& node) {
    return visit(node, []<typename N>(const N&) { return StageNode<N>; });
}

/// An expression over memory of this rank, in new memory.
Operand computed_here(const Operand& e) {
    const Program program({e}, {});
    Operand result = new_elements("computation", e.dtype(), e.dims.max_shape());
    const Destination place(memory_of(result));
    program.run({}, {&place, 1});
    return result;
}

/// The graph of a computation, whose reductions of what is distributed are computed over ranks, operands before their users.
class Stages {
public:
    Stages(const char* what, const Communicator& communicator)
        : what_(what), communicator_(communicator), partial_(what, communicator.ranks()) {}

    /// The roots over the results of these: expressions over distributed tensors and memory of this rank.
    std::vector<Operand> run(std::span<const Operand> roots) {
        std::vector<Operand> outputs = rewritten(
            roots, [&](const Node&, NodePtr now) { return without_reductions(std::move(now)); });
        partial_.join();
        return outputs;
    }

    /// An expression over distributed tensors in which what all ranks have alone is in memory. Its elements are known then.
    Operand known(const Operand& e) {
        partial_.join_for(e);
        std::vector<const Node*> left{e.node.get()}, stages;
        std::unordered_map<const Node*, NodePtr> in_memory;
        while (!left.empty()) {
            const Node& node = *left.back();
            left.pop_back();
            if (in_memory.contains(&node) || !node.reads(Below::symbol | Below::device)) continue;
            if (node.reads(Below::device)) {
                in_memory.emplace(&node, nullptr);
                for (const Node& below : nodes_of(node)) left.push_back(&below);
            } else {
                in_memory.emplace(&node, nullptr);
                stages.push_back(&node);
            }
        }
        if (!stages.empty())
            collective(communicator_.ranks(), what_, [&] {
                for (const Node* const node : stages)
                    in_memory[node] =
                        computed_here({NodePtr(node), Dimensions::row_major(Shape{size_of(*node)})})
                            .node;
            });
        return rewritten({&e, 1}, [&](const Node& node, NodePtr now) {
            const auto found = in_memory.find(&node);
            return found != in_memory.end() && found->second ? found->second : now;
        })[0];
    }

    /// An expression in which what is computed of far fewer elements, and broadcast, is evaluated once: it would be computed again for
    /// each element of the whole.
    Operand broadcast_once(const Operand& e) {
        constexpr index_t kFewer = 4;
        std::vector<const Node*> left{e.node.get()}, fewer;
        std::unordered_set<const Node*> seen;
        while (!left.empty()) {
            const Node& node = *left.back();
            left.pop_back();
            if (!node.reads(Below::device) || !seen.insert(&node).second) continue;
            if (node.kind() == NodeKind::elementwise && size_of(node) <= e.dims.size() / kFewer)
                fewer.push_back(&node);
            else
                for (const Node& below : nodes_of(node)) left.push_back(&below);
        }
        for (const Node* const node : fewer) {
            Evaluated& evaluated = evaluated_[node];
            if (evaluated.leaf) continue;
            const Operand whole = known({NodePtr(node), Dimensions::row_major(shape_of(*node))});
            if (whole.dims.rank() == 0) continue;
            const Distribution d = distribution_to_reduce(what_, whole);
            evaluated = {NodePtr(node), distributed(evaluate_any(what_, whole, d))};
        }
        return rewritten({&e, 1}, [&](const Node& node, NodePtr now) {
            const auto found = evaluated_.find(&node);
            return found != evaluated_.end() && found->second.leaf ? found->second.leaf : now;
        })[0];
    }

private:
    NodePtr without_reductions(NodePtr node) {
        if (const auto* const symbol = node_as<SymbolNode>(*node)) return value_of(*symbol);
        if (!is_stage(*node) || node->kind() == NodeKind::result) return node;
        const auto nodes = nodes_of(*node);
        if (std::ranges::none_of(nodes, [](const Node& n) { return n.reads(Below::device); }))
            return node;
        if (const auto* const reduce = node_as<Reduce>(*node)) return reduced(*reduce);
        throw DistributionError(fmt::format(
            "{}: no {} of a distributed tensor over ranks: all_gather(x) is the whole, and "
            "mpi::sort, mpi::cumsum, mpi::iterate and others are functions of their own",
            what_, described(*node)));
    }

    NodePtr value_of(const SymbolNode& symbol) const {
        if (symbol.value().node == nullptr)
            throw SymbolError(fmt::format("{}: the {} '{}' has no value: update it before the call",
                                          what_, name_of(symbol.role()), symbol.name()));
        return symbol.value().node;
    }

    /// The results of a reduction: in memory of each rank, or, where groups lie on several, distributed.
    NodePtr reduced(const Reduce& node) {
        const std::size_t kept = kept_axes(node);
        Operand e = known(broadcast_once(node.operand()));
        if (e.dims.rank() == 0) e.dims = dimensions::expand(e.dims, Shape{1});
        const Distribution d = distribution_to_reduce(what_, e);
        const std::vector<AxisParts>& axes = d.state().axes;
        const auto is_divided = [](const AxisParts& parts) { return parts.is_divided(); };
        const auto reduced_axes = axes.begin() + static_cast<std::ptrdiff_t>(kept);
        if (std::none_of(axes.begin(), reduced_axes, is_divided))
            return partial_.add(node.reduction(), of_own_part(node.reduction(), e, kept, d));
        if (std::none_of(reduced_axes, axes.end(), is_divided)) {
            const ShapeSpan shape = ShapeSpan(d.shape()).first(kept);
            return distributed({of_own_part(node.reduction(), e, kept, d),
                                divided(communicator_, shape, {axes.begin(), reduced_axes})});
        }
        ChosenAxes chosen;
        for (int axis = static_cast<int>(kept); axis < e.dims.rank(); ++axis) chosen.add(axis);
        const ChosenReducer fold{&fold_reduction(node.reduction())};
        return distributed(reduce_over_axes_any(what_, {&fold, 1}, e, chosen)[0]);
    }
    static NodePtr distributed(const AnyDistributed& x) { return x.global_operand().node; }

    /// The reduction of this rank's elements, in memory.
    Operand of_own_part(Reduction reduction, const Operand& e, std::size_t kept,
                        const Distribution& d) {
        Ranks& ranks = communicator_.ranks();
        std::optional<Operand> part, results;
        const ExitNotice exit_notice(ranks, what_);
        const Planned planned(ranks, what_, e, d, [&](CallText& call) {
            describe(call, d);
            call.add("", name_of(reduction));
            const Shape local = d.local_shape();
            results = new_elements(what_, e.dtype(), ShapeSpan(local).first(kept));
        });
        collective(ranks, what_, [&] {
            const auto reduce = [&](const Operand& operand) {
                if (operand.dims.size() > 0)
                    reduce_groups(reduction, operand, results->dims.size(), *results);
            };
            purview::assign(neutral_constant(reduction, e.dtype(), results->dims.max_shape()),
                            *results);
            planned.run(ranks, what_, [&](const Operand& operand, const Box& box) {
                if (planned.plan().box_count() == 1) return reduce(operand);
                if (!part) part = new_elements(what_, e.dtype(), d.local_shape());
                purview::assign(operand, {part->node, part_of(part->dims, box)});
            });
            if (part) reduce(*part);
        });
        return *results;
    }

    /// A node, which lives as long as its place in the list does, and what stands for it.
    struct Evaluated {
        NodePtr node;
        NodePtr leaf;
    };

    const char* what_;
    const Communicator& communicator_;
    PartialResults partial_;
    std::unordered_map<const Node*, Evaluated> evaluated_;
};

/// A result where it is wanted.
ResultOverRanks placed(const char* what, const Operand& output, const PlaceOfResult& place,
                       std::span<const Operand> arguments, const Communicator& communicator) {
    const bool is_on_all = !output.node->reads(Below::device);
    const ShapeSpan shape = output.dims.max_shape();
    if (!place.is_divided) {
        if (is_on_all) {
            Operand result;
            collective(communicator.ranks(), what, [&] { result = computed_here(output); });
            return {result};
        }
        if (!shape.empty())
            return {
                all_gather_any(evaluate_any(what, output, distribution_to_reduce(what, output)))};
        const Operand line{output.node, dimensions::expand(output.dims, Shape{1})};
        const Operand one =
            all_gather_any(evaluate_any(what, line, blocks_on(Grid(communicator), Shape{1})));
        return {{one.node, Dimensions()}};
    }
    std::optional<Distribution> d = place.distribution;
    for (const Operand& argument : arguments) {
        const DistributedElements* const elements = distributed_elements(*argument.node);
        if (d || elements == nullptr || !is_whole(argument)) continue;
        if (std::ranges::equal(elements->distribution().shape(), shape))
            d = elements->distribution();
    }
    if (!d)
        d = is_on_all ? blocks_on(Grid(communicator), shape) : distribution_to_reduce(what, output);
    return {{}, evaluate_any(what, output, *d)};
}

} // namespace

std::vector<ResultOverRanks> run_any(const char* what, const TracedFunction& function,
                                     std::span<const Operand> arguments,
                                     std::span<const PlaceOfResult> places) {
    std::vector<Operand> roots;
    const auto trace = [&] {
        std::vector<const Operand*> bindings;
        for (const Operand& argument : arguments) bindings.push_back(&argument);
        std::shared_ptr<const Program> keep;
        roots = function.program_for(bindings, keep).outputs_over(bindings);
    };
    const Communicator* communicator = nullptr;
    for (const Operand& argument : arguments)
        if (communicator == nullptr) communicator = communicator_below(argument);
    if (communicator == nullptr) { // what the function has captured may be distributed
        trace();
        for (const Node* const node : nodes_below(roots))
            if (const DistributedElements* const elements = distributed_elements(*node))
                communicator = &elements->distribution().communicator();
    }
    if (communicator == nullptr)
        throw DistributionError(fmt::format(
            "{}: no argument and no tensor that the function has captured is distributed: the computation is called "
            "itself",
            what));
    agree(communicator->ranks(), what, [&](CallText& call) {
        if (roots.empty()) trace();
        add_computation(call, roots);
        for (std::size_t i = 0; i < roots.size(); ++i) {
            if (!places[i].is_divided) continue;
            if (roots[i].dims.rank() == 0)
                throw DistributionError(fmt::format(
                    "{}: output {} is a tensor without axes, which is not distributed: return a number, "
                    "as a reduction over everything gives",
                    what, i));
            if (places[i].distribution) describe(call, *places[i].distribution);
        }
    });
    Stages stages(what, *communicator);
    std::vector<ResultOverRanks> results;
    const std::vector<Operand> outputs = stages.run(roots);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Operand output = stages.known(stages.broadcast_once(outputs[i]));
        results.push_back(placed(what, output, places[i], arguments, *communicator));
    }
    return results;
}

} // namespace purview
