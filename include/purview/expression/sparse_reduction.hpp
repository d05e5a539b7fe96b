#pragma once

#include <purview/expression/evaluate.hpp>
#include <purview/expression/statistics.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <cstdint>
#include <memory>

namespace purview {

// The reductions of evaluate.hpp and statistics.hpp of sparse operands, as sparse buffers of `groups` elements: one is
// stored for each part in which something is. O(stored), whatever the number of groups. The fill of each part is counted,
// not added up: sums multiply it, products raise it to a power. They throw `KindError` for operands that are not sparse.

/// A `SparseBuffer` of the source's type. The source is of a built-in type.
PURVIEW_EXPORT std::shared_ptr<AnyReader> reduce_sparse(Reduction reduction, const Operand& source,
                                                        index_t groups);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t> count_true_sparse(const Operand& source,
                                                               index_t groups);
PURVIEW_EXPORT SparseBufferPtr<std::int64_t>
arg_extreme_sparse(Extreme extreme, const Operand& source, index_t groups);
/// A `SparseBuffer` of the source's type, float32 or float64.
PURVIEW_EXPORT std::shared_ptr<AnyReader> squared_deviations_sparse(const Operand& source,
                                                                    index_t groups);

} // namespace purview
