#pragma once

#include <purview/reader/buffer.hpp>

#include <memory>
#include <optional>

namespace purview::engine {

class SparseGraph;

/// The pairs of a result that were computed while they were merged.
struct MergedPairs {
    BufferPtr<index_t> indexes; ///< with room to spare
    std::shared_ptr<const AnyReader> values;
    index_t stored = 0;
};

/// One operation on two leaves of floats whose entries keep their order, in one pass over both; nothing for
/// anything else.
std::optional<MergedPairs> merge_pairs(SparseGraph& graph);

} // namespace purview::engine
