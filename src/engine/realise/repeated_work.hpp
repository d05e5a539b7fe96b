#pragma once

#include <purview/expression/gather.hpp>
#include <purview/expression/piecewise.hpp>

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace purview::inline v0_1::engine {

/// The elements of a node in an interval of its row-major addresses, rounded up to a box of its
/// shape: one coordinate on the leading axes, a range on the next, everything on the rest.
struct Slab {
    Shape begin;
    Shape extents;
    index_t first = 0; ///< address
    index_t size = 1;

    /// A view of its elements, by row-major addresses of the node.
    Dimensions dims() const;
};
/// The smallest slab that holds the addresses [lowest, highest] of a row-major shape.
Slab slab_of(ShapeSpan shape, index_t lowest, index_t highest);

/// How often an evaluation of some operand would compute the elements of what it reads, and which
/// nodes it would rather compute once, into memory, before it begins. Views that an element-wise
/// graph is read through, gathers and pieces each evaluate what is below them on their own, so that
/// the cost of a loop `u = pad(f(u(0), u(1)))` grows exponentially with its steps.
///
/// Nodes are examined before their operands. A node knows in which evaluations ("scopes") and
/// through which views it is read. Where that is more expensive than to compute the interval of its
/// elements once, and to read it from memory, it is realised: its operands are then read in one
/// scope again. Linear in the nodes.
///
/// A gather of an element-wise expression of leaves may also become that expression of gathered
/// leaves, where this evaluates less: only the elements that are read are then computed, together
/// with those of the gather's users.
class RepeatedWork {
public:
    enum class Realise : bool { nothing, profitable };

    /// Throws a `ShapeError` that advises `clone` where elements would be computed again and again,
    /// but no memory can hold them.
    explicit RepeatedWork(const Operand& root, Realise realise = Realise::profitable);

    struct Realised {
        const Node* node;
        Slab slab;
    };
    /// The nodes to compute first, in this order.
    const std::vector<Realised>& realised() const noexcept { return realised_; }
    /// Whether a gather should become an expression of gathered leaves: `with_leaves_gathered`.
    bool gathers_leaves(const Node& node) const { return leaf_gathers_.contains(&node); }
    /// Whether the operand should be evaluated as it is.
    bool changes_nothing() const noexcept { return realised_.empty() && leaf_gathers_.empty(); }
    /// The estimated cost of the evaluation in nanoseconds.
    double cost() const noexcept { return cost_; }

private:
    /// An evaluation: how many elements of each of its values it computes, and how often it is
    /// prepared.
    struct Scope {
        double elements;
        double preparations;
        int depth; ///< number of scopes around it
    };
    /// A node read in a scope, through a view from the coordinates of the scope's root.
    struct Demand {
        std::uint32_t scope;
        Dimensions view;
        index_t run;                    ///< elements that are computed together, 0: all
        const Gather* gather = nullptr; ///< that reads the node as its source, if one does
    };
    struct NodeWork {
        std::vector<Demand> demands;
        AddressRange range{};
        double element_cost = 0;
    };

    void set_element_cost(const Node& node);
    void examine(const Node& node);
    bool is_realised(const Node& node, const NodeWork& work, const Slab& slab);
    void propagate(const Node& node, const Demand& demand);
    void propagate_to_source(const Gather& gather);
    void propagate_to_indexes(const Gather& gather, const Demand& demand);
    void propagate_to_pieces(const Piecewise& pieces, const Demand& demand);
    bool is_read_at_leaves(const NodeWork& work, const Slab& slab);
    void demand(const Node& node, std::uint32_t scope, const Dimensions& view, index_t run = 0,
                const Gather* gather = nullptr);
    Scope joined_scope(const NodeWork& work) const;
    void merge_demands(const Node& node, NodeWork& work);
    std::uint32_t new_scope(double elements, double preparations, int depth);

    NodeWork& work_of(const Node& node) { return work_[numbers_.at(&node)]; }

    Realise realise_;
    std::vector<const Node*> order_;
    std::unordered_map<const Node*, std::size_t> numbers_;
    std::vector<NodeWork> work_;
    std::vector<Scope> scopes_;
    std::vector<Realised> realised_;
    std::unordered_set<const Node*> leaf_gathers_;
    double cost_ = 0;
};

} // namespace purview::engine
