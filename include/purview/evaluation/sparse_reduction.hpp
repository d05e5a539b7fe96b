#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/reader/sparse_buffer_template.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

// The reductions of evaluate.hpp and statistics.hpp for sparse operands, as sparse buffers of
// `groups` elements, in which the results of parts with stored elements are stored. O(stored),
// whatever the number of groups. Elements that equal the fill are not visited: sums multiply the
// fill by their number, products raise it to that power. They throw `KindError` for operands that
// are not sparse.

/// Returns a `SparseBuffer` of the source's type, which is built-in.
PURVIEW_EXPORT std::shared_ptr<AnyReader> reduce_sparse(Reduction reduction, const Operand& source,
                                                        index_t groups);
/// The sums, over all axes but the first `kept`, of the products of two operands of equal rank and
/// type (one that sums have: 64-bit integers or floats), whose extents are equal or 1. The tensor
/// of all products is not built and may have more than 2⁶² elements. Gustavson's algorithm,
/// O(products of pairs of stored elements). Returns null if a fill is not 0 or a stored element is
/// not finite, because then products with elements that are not stored count too. Throws
/// `ShapeError` if the result would be too large, `KindError` for operands that are not sparse.
PURVIEW_EXPORT std::shared_ptr<AnyReader> sum_products_sparse(const Operand& x, const Operand& y,
                                                              std::size_t kept);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& source,
                                                               index_t groups);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t>
arg_extreme_sparse(Extreme extreme, const Operand& source, index_t groups, bool last = false);
/// Returns a `SparseBuffer` of the source's type, float32 or float64.
PURVIEW_EXPORT std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& source,
                                                                    index_t groups);

} // namespace purview
