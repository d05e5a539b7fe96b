#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace purview::inline v0_1 {

/// The smallest and the largest element of a float64 source; both NaN if any element is NaN; 0 and
/// 1 if the source is empty. One pass, parallel.
PURVIEW_EXPORT std::pair<double, double> limits_of(const Operand& source);

/// Counts the elements of a float64 source in the bins between `edges`, which must not decrease:
/// bin i counts the elements x with edges[i] <= x < edges[i + 1], the last bin also those equal to
/// its upper edge. Elements outside of all bins, and NaN, are not counted. `uniform`: the edges are
/// equally spaced, as NumPy computes them. One pass, O(n); O(n log bins) if not uniform. Parallel.
PURVIEW_EXPORT void count_in_bins(const Operand& source, std::span<const double> edges,
                                  bool uniform, std::int64_t* counts);

/// Adds up, for each bin, the float64 `weights` of its elements, in the order of the elements, on one
/// thread; over arrays of chunks, of each cell, and then of cells, in an order that depends on shapes alone.
PURVIEW_EXPORT void sum_in_bins(const Operand& source, const Operand& weights,
                                std::span<const double> edges, bool uniform, double* sums);

} // namespace purview
