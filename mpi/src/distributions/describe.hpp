#pragma once

#include "messages/ranks.hpp"

#include <purview/mpi/distributed.hpp>

namespace purview::inline v0_1::mpi {

/// For the agreement of ranks.
void describe(CallText& call, const Distribution& d);
void describe(CallText& call, const AnyDistributed& x);

/// Throws `ShapeError` naming `what` and both shapes.
void require_shape(const char* what, ShapeSpan shape, const Distribution& d);
/// Throws `DistributionError` naming `what` and the way out for sparse tensors, whose parts would be dense.
void require_dense(const char* what, const Operand& x);
/// Throws `IndexError` naming `what` for a rank that there is not.
void require_rank(const char* what, int rank, int ranks);
/// Throws `DistributionError` naming `what` where they are on different communicators.
void require_one_communicator(const char* what, const Distribution& a, const Distribution& b);

} // namespace purview
