#pragma once

#include <purview/evaluation/reducer.hpp>
#include <purview/expression/reduce.hpp>

#include <memory>

namespace purview::inline v0_1 {

// Reducers of elements of a type; with `skips_nan` of the floats that are not NaN.

/// Of `reduce_groups`, or with `averages` of `average`. Sums and products are in 64 bits of integers, those of
/// complex numbers as they are; products of floats with exponents of their own. The results of no
/// numbers that are not NaN are NaN, of means and extremes.
std::unique_ptr<const Reducer> fold_reducer(const char* name, Reduction reduction, DType element,
                                            bool averages, bool skips_nan);
/// Of `count_true_elements`.
std::unique_ptr<const Reducer> count_reducer(const char* name, DType element, bool skips_nan);
/// Of exact sums of floats, or of each part of complex numbers.
std::unique_ptr<const Reducer> exact_sum_reducer(const char* name, DType element, bool skips_nan);

} // namespace purview
