#pragma once

#include "messages/ranks.hpp"

#include <purview/evaluation/sorting.hpp>
#include <purview/mpi/distributed.hpp>

namespace purview::inline v0_1::mpi {

/// What sorting gives.
enum class Sorted : bool { elements, indexes };

/// Sorts a tensor that has one lane, along `axis`, which is divided. The result is distributed as x, or, where x is not in blocks along
/// the axis, in even blocks. A call of all ranks, after they have agreed.
AnyDistributed sample_sorted(Ranks& ranks, const char* what, const AnyDistributed& x,
                             std::size_t axis, SortOrder order, Sorted wanted);

} // namespace purview
