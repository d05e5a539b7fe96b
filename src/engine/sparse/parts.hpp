#pragma once

#include "engine/compile/values.hpp"
#include "engine/sparse/own_pairs.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace purview::inline v0_1::engine {

/// The pairs of all sparse `Piecewise` nodes (`concat`, `stack`, `pad`) and gathers below an
/// expression. Each node is put together once, through however many views it is read and however
/// deep it is, and only as far as some view may read it.
class SparseParts {
public:
    /// Puts together the pieces and gathers that the values read, and those below them. The values
    /// must outlive this. Throws `KindError` naming `what` for pieces that are not sparse, or where
    /// too much would be stored; `IndexError` for an index out of range at which a gather is read.
    SparseParts(const Values& values, const char* what);

    /// The pairs of a sparse node, at the addresses of that node.
    SparsePairs operator[](const Node& node) const { return facts_.at(&node).own.pairs(); }

private:
    /// A node that an operand of another node reads.
    struct Inner {
        const Node* node;
        std::size_t operand;
        Dimensions view;
    };
    /// Facts about a node.
    struct NodeFacts {
        std::vector<Inner> inner;
        std::vector<AddressRange> ranges; ///< of addresses that may be read
        std::vector<Dimensions> views;    ///< of a gather
        std::size_t readers = 0;          ///< nodes that read it and are not put together yet
        OwnPairs own;
    };

    /// All nodes, those that are inside of others first.
    std::vector<const Node*> find(const Values& values);
    bool add(const Node& node);
    void add_inner(NodeFacts& facts, const Operand& operand, std::size_t number);
    void add_view(const Node& node, const Dimensions& view);
    bool touches(const Node& node, std::size_t operand) const;
    OwnPairs assemble(const Node& node) const;
    OwnPairs gathered(const Gather& node, const NodeFacts& facts) const;
    OwnPairs joined(const Piecewise& pieces) const;
    /// The pairs of an operand, where they are in memory already; nothing for one that has to be
    /// computed.
    std::optional<SparsePairs> in_place(const Operand& operand) const;

    const char* what_;
    std::unordered_map<const Node*, NodeFacts> facts_;
};

} // namespace purview::engine
