#pragma once

#include <purview/expression/gather.hpp>

#include <optional>
#include <span>

namespace purview::inline v0_1::engine {

/// What it takes to gather the leaves of an element-wise expression instead of its elements.
struct LeafGathers {
    double element = 0; ///< nanoseconds to gather an element of each leaf, roughly, all together
    double of_one = 0;  ///< nanoseconds to gather an element of one array of the source's shape
    std::size_t gathers = 0; ///< of leaves: one for each leaf and view
};

/// What it takes for the source of `gather`. Nothing where that cannot be done: the source is no
/// element-wise expression of leaves and constants, or a large one; it is sparse, or has checked
/// casts, whose errors name elements of the source; or the indexes are expensive. O(1).
std::optional<LeafGathers> leaf_gathers(const Gather& gather);

/// `op(x, y)[indexes]` as `op(x[indexes], y[indexes])`: the operations of the source on gathered
/// leaves, of the gather's shape. Each element is computed as before, from the same elements.
/// `operands`: those of the gather, of which only the indexes are used. Precondition:
/// `leaf_gathers` returns something.
NodePtr with_leaves_gathered(const Gather& gather, std::span<const Operand> operands);

} // namespace purview::engine
