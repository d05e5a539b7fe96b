#pragma once

#include "expressions/fetch.hpp"
#include "expressions/seen_part.hpp"
#include "messages/ranks.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace purview::inline v0_1::mpi {

/// A distributed tensor among the leaves of an expression: as such, or in the place of a gather that has been evaluated before.
struct Source {
    const Node* node;
    Operand part; ///< this rank's
    Distribution distribution;
    Operand
        whole{}; ///< what every rank reads by itself, so that nothing is sent; no node for parts in memory
};

/// An expression over distributed tensors, taken apart: its nodes in a fixed order, and which of them are such leaves.
class Graph {
public:
    using Evaluated = std::unordered_map<const Node*, Source>;
    /// Throws `DistributionError` naming `what` for parts on another communicator, and for nodes of
    /// computations. `evaluated`: what stands in the place of nodes.
    Graph(const char* what, Operand root, Ranks& ranks, const Evaluated& evaluated);

    const Operand& root() const noexcept { return root_; }
    const std::vector<Source>& sources() const noexcept { return sources_; }
    /// The number of the source that a node is; -1 for other nodes.
    int source_of(const Node& node) const;
    /// Whether elements are read at computed indexes, which decide what has to be sent.
    bool has_gathers() const noexcept { return has_gathers_; }
    const std::vector<const Node*>& nodes() const noexcept { return nodes_; }
    std::uint32_t number_of(const Node& node) const { return numbers_.at(&node); }

    /// The structure: equal for expressions that differ in values and leaves alone. Numbers, the views on edges, and distributions.
    struct Key {
        std::vector<index_t> numbers;
        std::vector<Dimensions> views;
        std::vector<Distribution> distributions;
        friend bool operator==(const Key&, const Key&) = default;
    };
    Key key() const;
    /// For the agreement: the same on ranks with the same expression.
    std::uint64_t hash() const;

private:
    void add(const char* what, const Node& node, Ranks& ranks, const Evaluated& evaluated);

    Operand root_;
    std::vector<const Node*>
        nodes_; ///< operands before their users; nothing below sources and what all ranks have
    std::vector<int> depths_; ///< how many operations are below each, one above the other
    std::unordered_map<const Node*, std::uint32_t> numbers_;
    std::vector<Source> sources_;
    std::unordered_map<const Node*, int> source_numbers_;
    bool has_gathers_ = false;
};

/// For the agreement: the outputs of a computation, all nodes below them, and numbers; nothing of other elements.
void add_computation(CallText& text, std::span<const Operand> roots);

/// How a rank computes its part of an expression: in boxes, of which the inside needs nothing of other ranks, and
/// what is fetched for the others. Knows no elements and no leaves, so that it serves every expression
/// of the same structure.
class DistributedPlan {
public:
    /// Whether a part is cut where other ranks' elements are needed, so that the rest can begin without them.
    enum class Cut : bool { no, yes };
    /// For the part of the expression that a view of its coordinates shows. A call of all ranks.
    DistributedPlan(Ranks& ranks, const char* what, const Graph& graph, const Dimensions& part,
                    Cut cut = Cut::yes);

    /// Calls `work(operand, box)` for each box of the part, boxes in a fixed order: the operand is the
    /// expression there, over memory of this rank. A call of all ranks.
    /// `fetched`: as `memory` has given it.
    void run(Ranks& ranks, const char* what, const Graph& graph, std::span<const Operand> fetched,
             FunctionRef<void(const Operand&, const Box&)> work) const;
    /// Memory for what is fetched.
    std::vector<Operand> memory(const char* what, const Graph& graph) const;
    /// The two halves of that for a part that is not cut: a call of all ranks, and the expression there.
    void fetch(Ranks& ranks, const char* what, const Graph& graph, std::span<const Operand> fetched,
               FunctionRef<void()> meanwhile) const;
    Operand operand(const Graph& graph, std::span<const Operand> fetched) const {
        return boxes_.empty() ? Operand() : operand_in(boxes_.front(), graph, fetched);
    }
    /// Whether other ranks are sent elements.
    bool sends() const noexcept { return fetch_.sends(); }
    std::size_t box_count() const noexcept { return boxes_.size(); }

private:
    class Builder;
    struct Step {
        std::uint32_t node = 0;
        Dimensions view{};    ///< of leaves, and of what all ranks have
        int source = -1;      ///< of leaves that are sources
        int want = -1;        ///< of those of which it reads what was fetched
        std::size_t seen = 0; ///< among the builder's
        std::vector<std::uint32_t> operands{};
        std::vector<Shape> begins{}; ///< of pieces
        Shape shape{};
    };
    struct PartBox {
        Box box;
        std::vector<Step> steps; ///< the last one is the root
        bool waits = false;      ///< for what is fetched
    };

    static Operand operand_in(const PartBox& box, const Graph& graph,
                              std::span<const Operand> fetched);

    std::vector<PartBox> boxes_;
    Fetch fetch_;
};

/// The plans of a communicator that were used last.
class DistributedPlans {
public:
    /// Null if there is none for this structure and distribution.
    std::shared_ptr<const DistributedPlan> find(const Graph::Key& key, const Distribution& d);
    void add(Graph::Key key, const Distribution& d, std::shared_ptr<const DistributedPlan> plan);

private:
    static constexpr std::size_t kMost = 32;
    struct Known {
        Graph::Key key;
        Distribution distribution;
        std::shared_ptr<const DistributedPlan> plan;
    };
    std::vector<Known> known_; ///< the one used last at the end
};

} // namespace purview
