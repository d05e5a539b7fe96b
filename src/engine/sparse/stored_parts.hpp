#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/pairs/lists.hpp"
#include "engine/sparse/own_pairs.hpp"

#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// The stored elements of one part of the row-major order.
template <typename T>
struct ReducedPart {
    const index_t* indexes; ///< as they are stored
    const T* values;
    index_t stored;
    index_t begin; ///< of the part, as an index that is stored
    index_t size;

    index_t fills() const noexcept { return size - stored; }
};

/// The parts of the row-major order of an operand in which something is stored: what does not
/// depend on the type of the elements.
struct StoredParts {
    StoredParts(const Operand& source, index_t groups, const char* what);

    /// Takes the pairs of a leaf as they are, if it is seen in their order and their values lie side
    /// by side. Bools are copied: any byte but 0 is true.
    bool find_in_place(const Operand& source);

    std::optional<SparseEvaluation> computed;
    OwnPairs own;
    SparsePairs pairs;
    index_t groups;
    index_t size;               ///< of a part
    BufferPtr<index_t> cells;   ///< the number of each part
    std::vector<index_t> first; ///< its first stored element; behind the last part, all of them
};

} // namespace purview::engine
