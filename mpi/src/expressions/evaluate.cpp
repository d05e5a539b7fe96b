#include <purview/mpi/evaluate.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/gathers.hpp"
#include "expressions/plan.hpp"
#include "expressions/planned.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::mpi {
namespace {

/// Evaluates what is planned into a part.
void evaluate_into(Ranks& ranks, const char* what, const Planned& planned, const Operand& part) {
    collective(ranks, what, [&] {
        planned.run(ranks, what, [&](const Operand& operand, const Box& box) {
            purview::assign(operand, {part.node, part_of(part.dims, box)});
        });
    });
}

/// Whether a part may be read by what is computed: by distributed tensors, or by what a rank has itself.
bool reads_part(const Graph& graph, const Operand& part) {
    for (const Source& source : graph.sources())
        if (may_overlap(source.whole.node ? source.whole : source.part, part)) return true;
    for (const Node* const node : graph.nodes()) {
        if (graph.source_of(*node) >= 0 || !node->reads(Below::device)) continue;
        for (const Operand& operand : operands_of(*node))
            if (graph.source_of(*operand.node) < 0 && !operand.node->reads(Below::device) &&
                operand.node->kind() != NodeKind::constant && may_overlap(operand, part))
                return true;
    }
    return false;
}

} // namespace

AnyDistributed evaluate_any(const char* what, const Operand& e, const Distribution& d) {
    Ranks& ranks = d.communicator().ranks();
    std::optional<Operand> part;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, e, d, [&](CallText& call) {
        require_shape(what, e.dims.max_shape(), d);
        require_dense(what, e);
        describe(call, d);
        part = new_elements(what, e.dtype(), d.local_shape());
    });
    evaluate_into(ranks, what, planned, *part);
    return AnyDistributed(*part, d);
}

AnyDistributed parts_in_memory(const char* what, const AnyDistributed& x) {
    return x.is_in_memory() ? x : evaluate_any(what, x.global_operand(), x.distribution());
}

void assign_any(const Operand& e, const AnyDistributed& x) {
    constexpr const char* what = "assign";
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    Operand source = e;
    std::optional<Operand> apart;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, source, d, [&](CallText& call) {
        x.require_in_memory(what);
        describe(call, d);
        call.add("to", x.dtype().name());
        source = cast_operand(std::move(source), x.dtype(), Op::cast);
        source.dims = dimensions::expand(source.dims, d.shape());
    });
    // Elements that others still read, or that boxes to come do, are not overwritten.
    collective(ranks, what, [&] {
        if ((planned.plan().sends() || planned.plan().box_count() > 1) &&
            reads_part(planned.graph(), x.local_operand()))
            apart = new_elements(what, x.dtype(), d.local_shape());
    });
    evaluate_into(ranks, what, planned, apart ? *apart : x.local_operand());
    if (apart) purview::assign(*apart, x.local_operand());
}

} // namespace purview
