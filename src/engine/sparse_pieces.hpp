#pragma once

#include "engine/own_pairs.hpp"
#include "engine/values.hpp"

#include <unordered_map>
#include <vector>

namespace purview::engine {

/// What `concat`, `stack` and `pad` put together below an expression, as pairs: each node once, whatever the views it
/// is seen through and however deep it stands, and of it those pieces alone that some view may touch.
///
/// The fill of most elements is that of all; what of other pieces differs from it is stored.
class SparsePieces {
public:
    /// Those that values look at, and what their pieces look at. The values have to outlive it. Throws `KindError`
    /// naming `what` for pieces that are not sparse, or of other fills and too large to store.
    SparsePieces(const Values& values, const char* what);

    /// Its addresses are those of the node.
    SparsePairs operator[](const Piecewise& node) const { return looks_.at(&node).own.pairs(); }

private:
    /// A node that is seen by one of the pieces of another.
    struct Inner {
        const Piecewise* node;
        std::size_t piece;
        AddressRange range;
    };
    /// What is known of a node.
    struct Look {
        std::vector<Inner> inner;
        std::vector<AddressRange> ranges; ///< of the addresses that may be asked for
        std::size_t readers = 0;          ///< that have not been joined yet
        OwnPairs own;
    };

    /// All nodes, those that are inside of others first.
    std::vector<const Piecewise*> find(const Values& values);
    bool add(const Piecewise& node);
    bool touches(const Piecewise& node, std::size_t piece) const;
    OwnPairs join(const Piecewise& node) const;

    const char* what_;
    std::unordered_map<const Piecewise*, Look> looks_;
};

} // namespace purview::engine
