#pragma once

#include "messages/ranks.hpp"

#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/functional/reductions/reduced_view.hpp>
#include <purview/mpi/distributed.hpp>

#include <exception>
#include <optional>
#include <vector>

namespace purview::inline v0_1::mpi {

/// The distribution in which an expression is reduced: where the elements of distributed tensors lie that it sees, as far as
/// that is a distribution; else that of the first such tensor of its shape, else equal blocks. Throws `DistributionError` naming `what` where nothing below it is distributed.
Distribution distribution_to_reduce(const char* what, const Operand& e);

/// Axes of an expression, and where what they are reduced to comes to lie.
struct AxesOverRanks {
    /// `in`: as `distribution_to_reduce` has given it. Throws `IndexError`, `DimError`; `DistributionError`
    /// where no axis is left.
    AxesOverRanks(const char* what, const Operand& e, const ChosenAxes& chosen, AxisOrder order,
                  const Distribution& in);

    Shape axes;       ///< in the order in which elements are counted
    ReducedView view; ///< of all of the expression
    Distribution
        in; ///< in which it is evaluated: blocks along axes on which the result would not be dealt out
    Distribution result;
    Group group; ///< the ranks that differ from this one in their places along these axes alone
};

} // namespace purview
