#include "distributions/describe.hpp"

#include "distributions/axis_parts.hpp"
#include "distributions/distributed_elements.hpp"

#include <purview/evaluation/sparsity.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::mpi {

void describe(CallText& call, const Distribution& d) {
    call.add(d.state().hash(), [d] { return to_string(d); });
}

void describe(CallText& call, const AnyDistributed& x) {
    call.add("", x.dtype().name());
    describe(call, x.distribution());
    if (const DistributedElements* const elements = distributed_elements(*x.global_operand().node))
        call.add_hash(elements->number());
}

void require_shape(const char* what, ShapeSpan shape, const Distribution& d) {
    if (!std::ranges::equal(shape, d.shape()))
        throw ShapeError(fmt::format("{}: shape {} where the distribution is of {}", what,
                                     purview::to_string(shape), purview::to_string(d.shape())));
}

void require_dense(const char* what, const Operand& x) {
    if (x.node->reads(Below::device) || !is_sparse(x)) return;
    throw DistributionError(fmt::format(
        "{}: the tensor of shape {} is sparse, and parts are dense: to_dense(x) makes it so first; as "
        "it is, each rank may have the whole of it in expressions over distributed tensors",
        what, purview::to_string(x.dims.max_shape())));
}

void require_rank(const char* what, int rank, int ranks) {
    if (rank < 0 || rank >= ranks)
        throw IndexError(fmt::format("{}: rank {} of {}", what, rank, ranks));
}

void require_one_communicator(const char* what, const Distribution& a, const Distribution& b) {
    if (!(a.communicator() == b.communicator()))
        throw DistributionError(fmt::format("{}: {} and {} are on different communicators", what,
                                            to_string(a), to_string(b)));
}

} // namespace purview
