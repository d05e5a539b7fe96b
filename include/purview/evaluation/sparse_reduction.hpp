#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace purview {

// The reductions of evaluate.hpp and statistics.hpp of sparse operands, as sparse buffers of `groups` elements: one is
// stored for each part in which something is. O(stored), whatever the number of groups. The fill of each part is counted,
// not added up: sums multiply it, products raise it to a power. They throw `KindError` for operands that are not sparse.

/// A `SparseBuffer` of the source's type. The source is of a built-in type.
PURVIEW_EXPORT std::shared_ptr<AnyReader> reduce_sparse(Reduction reduction, const Operand& source,
                                                        index_t groups);
/// The sums over all axes but the first `kept` of the products of two operands of one rank and one type, in which sums are:
/// 64-bit integers or floats. Extents are equal or 1. The tensor of all products need not exist: it may have more than 2⁶²
/// elements. By Gustavson's algorithm, O(products of stored elements that meet). Null where a fill is not 0 or a stored element is not
/// finite, so that other products count too. Throws `ShapeError` where the result would be too large, `KindError`.
PURVIEW_EXPORT std::shared_ptr<AnyReader> sum_products_sparse(const Operand& x, const Operand& y,
                                                              std::size_t kept);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& source,
                                                               index_t groups);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t>
arg_extreme_sparse(Extreme extreme, const Operand& source, index_t groups);
/// A `SparseBuffer` of the source's type, float32 or float64.
PURVIEW_EXPORT std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& source,
                                                                    index_t groups);

} // namespace purview
