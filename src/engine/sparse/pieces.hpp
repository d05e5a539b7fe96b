#pragma once

#include <purview/expression/piecewise.hpp>

#include "engine/sparse/own_pairs.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

/// The addresses of a piece in its node.
Dimensions box_of(const Piecewise& node, std::size_t piece);

/// A piece in its place.
struct Part {
    Dimensions box;
    index_t size;
    OwnPairs own;
    bool stored_whole = false; ///< every element, as its fill is not that of the node

    SparsePairs pairs() const noexcept { return own.pairs(); }
    index_t fills() const noexcept { return size - own.indexes.count(); }
    index_t count() const noexcept { return stored_whole ? size : own.indexes.count(); }
};

/// Joins the parts of a node to its pairs. The most frequent fill becomes that of the node; parts
/// with another fill are stored as a whole. Throws `KindError` for such a part that is too large to
/// store.
OwnPairs join_pieces(const Piecewise& node, std::vector<Part>& parts, const char* what);

} // namespace purview::engine
