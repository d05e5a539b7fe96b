#pragma once

#include <purview/expression/gather.hpp>

#include <optional>
#include <span>

namespace purview::engine {

/// What it takes to gather the leaves of an element-wise expression instead of its elements.
struct LeafGathers {
    double element = 0; ///< nanoseconds of an element of each leaf, roughly: those of all leaves
    double of_one = 0;  ///< those of an element of one array of the source's shape
    std::size_t gathers = 0; ///< leaves: each seen through one view counts once
};

/// Nothing where it cannot be done: what is read is no element-wise expression of leaves and constants, or a large one; it is
/// sparse, or has checked casts, whose errors name elements of the source; or the indexes are dear. O(1).
std::optional<LeafGathers> leaf_gathers(const Gather& gather);

/// Whether neighbours are read close to each other, as far as a few places tell. Of indexes that have to be computed: no.
bool reads_near(const Gather& gather);

/// `op(x, y)[indexes]` as `op(x[indexes], y[indexes])`: the source's operations on gathered leaves, of the gather's shape. Each
/// element is computed as before, from the same elements. `operands`: the gather's own, of which only the indexes are
/// taken. Precondition: `leaf_gathers` gives something.
NodePtr with_leaves_gathered(const Gather& gather, std::span<const Operand> operands);

} // namespace purview::engine
