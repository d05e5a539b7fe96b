#pragma once

#include <purview/evaluation/sorting.hpp>
#include <purview/mpi/distributed.hpp>

#include <cstdint>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same arguments: see moving.hpp.

PURVIEW_MPI_EXPORT AnyDistributed sort_any(const AnyDistributed& x, index_t axis, SortOrder order);
PURVIEW_MPI_EXPORT AnyDistributed argsort_any(const AnyDistributed& x, index_t axis,
                                              SortOrder order);

/// The elements sorted along an axis, by default the last one, as `purview::sort` of the whole gives them, bit by bit: stable, NaN
/// last in either order. New memory, distributed as x. Throws `IndexError` for an axis that there is not.
///
/// Along an axis that is not divided each rank sorts its part, and nothing is sent. Along the only axis (others of extent 1 do not
/// count) each rank sorts its part, the ranks find the elements at which the parts of the result begin (an element is told from its
/// equals by its index), by sums of counts, about ten for float64, and each element is sent at most once, to where it belongs: so a rank gets
/// exactly its part, and takes memory for two parts, of which one is the result. Of a cyclic distribution the result comes in
/// blocks, and is sent a second time. Along a divided axis among others x is redistributed, so that this axis is whole on
/// each rank, sorted, and redistributed back: where there are fewer lanes than ranks, some ranks have none meanwhile.
template <BuiltinType T>
Distributed<T> sort(const Distributed<T>& x, index_t axis, SortOrder order = ascending) {
    return Distributed<T>(sort_any(x, axis, order));
}
template <BuiltinType T>
Distributed<T> sort(const Distributed<T>& x, SortOrder order = ascending) {
    return Distributed<T>(sort_any(x, -1, order));
}

/// The indexes in the whole that sort the elements along an axis, int64, distributed as x: those that `purview::argsort` of the whole
/// gives. Each element that is sent goes with its index. Otherwise as `sort`.
template <BuiltinType T>
Distributed<std::int64_t> argsort(const Distributed<T>& x, index_t axis,
                                  SortOrder order = ascending) {
    return Distributed<std::int64_t>(argsort_any(x, axis, order));
}
template <BuiltinType T>
Distributed<std::int64_t> argsort(const Distributed<T>& x, SortOrder order = ascending) {
    return Distributed<std::int64_t>(argsort_any(x, -1, order));
}

} // namespace purview
