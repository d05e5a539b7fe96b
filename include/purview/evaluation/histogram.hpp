#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace purview {

/// The least and the greatest element of a source of float64, NaN if one is; of nothing, 0 and 1. One pass. Threads.
PURVIEW_EXPORT std::pair<double, double> limits_of(const Operand& source);

/// How many elements of a source of float64 lie in each of the bins between `edges`, which do not fall: bin i holds what is
/// at least edges[i] and less than edges[i + 1], the last one also its upper edge. What lies outside, and NaN, is left
/// out. `uniform`: the edges are equally far apart, as NumPy computes them. One pass, O(n); O(n log bins) if
/// they are not uniform. Threads.
PURVIEW_EXPORT void count_in_bins(const Operand& source, std::span<const double> edges,
                                  bool uniform, std::int64_t* counts);

/// The sums of the weights of these elements, of float64 and in the order of the elements. One thread.
PURVIEW_EXPORT void sum_in_bins(const Operand& source, const Operand& weights,
                                std::span<const double> edges, bool uniform, double* sums);

} // namespace purview
