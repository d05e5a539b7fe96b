#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>

#include "dtype/element_block.hpp"
#include "engine/pairs/lists.hpp"

#include <memory>

namespace purview::inline v0_1::engine {

/// Pairs of a run-time type in memory of their own.
struct OwnPairs {
    IndexSpan indexes;
    std::shared_ptr<const AnyReader> values; ///< in memory
    std::unique_ptr<ElementBlock>
        fill; ///< a default element where all are stored and the fill is unknown

    SparsePairs pairs() const noexcept { return {indexes.indexes, values->memory(), fill->data()}; }
};

/// A block of one element: zero bytes for a trivial type, else default-constructed.
std::unique_ptr<ElementBlock> default_element(DType dtype);

/// Computes what a sparse evaluation yields: indexes, values and fill.
OwnPairs own_pairs(const SparseEvaluation& evaluation);
/// The same with the indexes where they are, valid as long as the evaluation.
OwnPairs pairs_of(const SparseEvaluation& evaluation);

} // namespace purview::engine
