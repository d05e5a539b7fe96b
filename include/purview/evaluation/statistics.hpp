#pragma once

#include <purview/evaluation/reducer.hpp>

#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

// Reductions whose result type differs from the source's. As in `reduce_groups`, each of `groups` equal
// parts of the global order becomes one element of `out`. Memory is read once if the elements of a
// part are contiguous. What lies on another backend is folded there, by `reduce_groups`: counts and indexes
// are the same, sums of squares are within a few units of their last place.

/// How many elements of each part of a bool operand are true.
PURVIEW_EXPORT void count_true_elements(const Operand& source, index_t groups,
                                        const Destination& out);

enum class Extreme : bool { least, greatest };

/// The index, within its part, of the first extreme element of each part, or of its first NaN if it
/// has one; with `last`, of the last one. Parts must not be empty. Built-in types only.
PURVIEW_EXPORT void arg_extreme(Extreme extreme, const Operand& source, index_t groups,
                                const Destination& out, bool last = false);

/// The same as a reducer; with `skips_nan` of the floats that are not NaN, where a `ShapeError` says that
/// there is none.
PURVIEW_EXPORT std::unique_ptr<const Reducer> extreme_places(Extreme extreme, DType element,
                                                             bool last, bool skips_nan);

/// The sum of the squared differences from the mean of each part, of float32 or float64, into
/// memory of the same type. 0 for an empty part. Float64 by `moments`; float32 follows Chan, Golub
/// and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979),
/// on chunks of 4096 elements.
PURVIEW_EXPORT void squared_deviations(const Operand& source, index_t groups,
                                       const Destination& out);

} // namespace purview
