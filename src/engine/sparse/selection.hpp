#pragma once

#include <purview/evaluation/selection.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>

namespace purview::engine {

// What of a sparse operand of bools is true. O(stored), but for a fill that is true where positions are listed.

/// Null where the fill is true: then most elements are, and have to be listed one by one. Throws `KindError` where
/// they are too many for that.
BufferPtr<std::int64_t> true_positions_sparse(const Operand& source);
/// Throws `KindError` where the fill is true and there are more than 2³⁶ elements.
IndexSet true_set_sparse(const Operand& source);
/// -1 if there is none.
index_t first_true_sparse(const Operand& source);

} // namespace purview::engine
