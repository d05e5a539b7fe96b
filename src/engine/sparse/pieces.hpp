#pragma once

#include <purview/expression/piecewise.hpp>

#include "engine/sparse/own_pairs.hpp"

#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// The addresses of a piece in its node.
Dimensions box_of(const Piecewise& node, std::size_t piece);

/// A piece in its place.
struct Part {
    Dimensions box;
    index_t size;
    SparsePairs pairs;         ///< values lie side by side
    OwnPairs own;              ///< their memory; empty where they are borrowed
    bool stored_whole = false; ///< every element, as its fill is not that of the node

    /// Pairs of its own.
    void take(OwnPairs computed) {
        own = std::move(computed);
        pairs = own.pairs();
    }
    index_t stored() const noexcept { return pairs.stored(); }
    index_t fills() const noexcept { return size - stored(); }
    index_t count() const noexcept { return stored_whole ? size : stored(); }
};

/// Joins the parts of a node to its pairs. The most frequent fill becomes that of the node; parts
/// with another fill are stored as a whole. Throws `KindError` for such a part that is too large to
/// store. O(count) where the parts follow each other along one axis, as those of `concat` do, and most
/// rows of the node have entries; else their entries are sorted, unless they ascend.
OwnPairs join_pieces(const Piecewise& node, std::vector<Part>& parts, const char* what);
/// How the pairs of pieces are put in order, in words, if `counts` are stored in each.
const char* describe_joining(const Piecewise& node, std::span<const index_t> counts);

} // namespace purview::engine
