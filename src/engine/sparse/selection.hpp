#pragma once

#include <purview/evaluation/selection.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>

namespace purview::inline v0_1::engine {

// Which elements of a sparse operand of bools are true. O(stored), except where the fill is true
// and positions are listed.

/// The indexes of the true elements. Null where the fill is true: then most elements are, and have
/// to be listed one by one; throws `KindError` where they are too many for that.
BufferPtr<std::int64_t> true_positions_sparse(const Operand& source);
/// The set of the indexes of the true elements. Throws `KindError` where the fill is true and there
/// are more than 2³⁶ elements.
IndexSet true_set_sparse(const Operand& source);
/// The index of the first true element, or -1.
index_t first_true_sparse(const Operand& source);

} // namespace purview::engine
