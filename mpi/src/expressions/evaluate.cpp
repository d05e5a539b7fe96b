#include <purview/mpi/evaluate.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/gathers.hpp"
#include "expressions/plan.hpp"
#include "expressions/planned.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::mpi {
namespace {

/// Evaluates what is planned into a part.
void evaluate_into(Ranks& ranks, const char* what, const Planned& planned, const Operand& part) {
    together(ranks, what, [&] {
        planned.run(ranks, what, [&](const Operand& operand, const Box& box) {
            purview::assign(operand, {part.node, part_of(part.dims, box)});
        });
    });
}

} // namespace

AnyDistributed evaluate_any(const char* what, const Operand& e, const Distribution& d) {
    Ranks& ranks = d.communicator().ranks();
    std::optional<Operand> part;
    const Planned planned(ranks, what, e, d, [&](CallText& call) {
        require_shape(what, e.dims.max_shape(), d);
        describe(call, d);
        part = new_elements(what, e.dtype(), d.local_shape());
    });
    evaluate_into(ranks, what, planned, *part);
    return AnyDistributed(*part, d);
}

void assign_any(const Operand& e, const AnyDistributed& x) {
    constexpr const char* what = "assign";
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    Operand source = e;
    std::optional<Operand> apart;
    bool overlaps = false;
    const Planned planned(ranks, what, source, d, [&](CallText& call) {
        describe(call, d);
        call.add("to", x.dtype().name());
        source = cast_operand(std::move(source), x.dtype(), Op::cast);
        source.dims = dimensions::expand(source.dims, d.shape());
    });
    // Elements that others still read, or that boxes to come do, are not overwritten.
    for (const Source& each : planned.graph().sources())
        overlaps |= may_overlap(each.part, x.local_operand());
    overlaps &= planned.plan().sends() || planned.plan().box_count() > 1;
    together(ranks, what, [&] {
        if (overlaps) apart = new_elements(what, x.dtype(), d.local_shape());
    });
    evaluate_into(ranks, what, planned, apart ? *apart : x.local_operand());
    if (apart) purview::assign(*apart, x.local_operand());
}

} // namespace purview
