#pragma once

#include <purview/reader/buffer.hpp>

#include <memory>
#include <optional>

namespace purview::inline v0_1::engine {

class SparseGraph;

/// The pairs of a result that were computed while they were merged.
struct MergedPairs {
    BufferPtr<index_t> indexes; ///< with room to spare
    std::shared_ptr<const AnyReader> values;
    index_t stored = 0;
};

/// If the root adds, subtracts or multiplies two sparse sources of floats whose views keep the
/// order of entries, computes it in one pass over both. Nothing otherwise, for few entries, and
/// where the fill is NaN or elements that are not finite meet a fill of 0.
std::optional<MergedPairs> merge_pairs(SparseGraph& graph);

} // namespace purview::engine
