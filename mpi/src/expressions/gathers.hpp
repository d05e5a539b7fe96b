#pragma once

#include "expressions/plan.hpp"

namespace purview::inline v0_1::mpi {

/// Evaluates what an expression reads at computed indexes: the indexes first, then the elements there are asked for. Each gather becomes a
/// distributed tensor, in `d` where it has that shape. A call of all ranks.
Graph::Evaluated evaluate_gathers(Ranks& ranks, const char* what, const Graph& graph,
                                  const Distribution& d);

} // namespace purview
