// Defines purview/mpi/order.hpp.

#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/order.hpp>

#include "distributions/describe.hpp"
#include "order/sample_sort.hpp"
#include "order/whole_lanes.hpp"

#include <purview/dimensions/axes.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/along/sorting.hpp>

#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// Sorts each rank's part by itself.
AnyDistributed sorted_alone(Ranks& ranks, const char* what, const AnyDistributed& x,
                            std::size_t axis, SortOrder order, Sorted wanted) {
    std::optional<Operand> part;
    collective(ranks, what, [&] {
        const purview::AxisParts parts =
            axis_parts(what, x.local_operand(), static_cast<index_t>(axis));
        part = parts.restored(wanted == Sorted::elements
                                  ? sorted_parts(what, parts, order)
                                  : argsort_parts(what, parts, order).operand());
    });
    return AnyDistributed(*part, x.distribution());
}

AnyDistributed sorted_along(const char* what, const AnyDistributed& x, index_t axis,
                            SortOrder order, Sorted wanted) {
    const Distribution& d = x.distribution();
    Ranks& ranks = d.communicator().ranks();
    std::size_t chosen = 0;
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        chosen =
            static_cast<std::size_t>(checked_axis(axis, static_cast<int>(x.shape().size()), what));
        visit_dtype(x.dtype(), what, [](auto) {});
        describe(call, x);
        call.add("along axis", static_cast<index_t>(chosen));
        call.add("", order == SortOrder::descending ? "descending" : "ascending");
    });
    if (!is_divided(d, chosen))
        return sorted_alone(ranks, what, parts_in_memory(what, x), chosen, order, wanted);
    if (lanes_along(x.shape(), chosen) == 1) {
        const AnyDistributed sorted =
            sample_sorted(ranks, what, parts_in_memory(what, x), chosen, order, wanted);
        return sorted.distribution() == d ? sorted : redistribute_any(sorted, d);
    }
    const AnyDistributed whole = redistribute_any(x, with_whole_lanes(d, chosen));
    return redistribute_any(sorted_alone(ranks, what, whole, chosen, order, wanted), d);
}

} // namespace

AnyDistributed sort_any(const AnyDistributed& x, index_t axis, SortOrder order) {
    return sorted_along("sort", x, axis, order, Sorted::elements);
}

AnyDistributed argsort_any(const AnyDistributed& x, index_t axis, SortOrder order) {
    return sorted_along("argsort", x, axis, order, Sorted::indexes);
}

} // namespace purview
