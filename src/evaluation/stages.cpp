#include "evaluation/stages.hpp"

#include "evaluation/pieces_work.hpp"
#include "evaluation/shared_works.hpp"

#include "expression/constants.hpp"
#include "expression/node_map.hpp"
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The cost of an element, in operations, from which on it is cheaper to write a result once and read it again.
constexpr std::uint32_t kExpensiveOperation = 16;
/// Where the result is larger than the caches, writing and reading it takes as long as this.
constexpr std::uint32_t kExpensiveInMemory = 48;
constexpr index_t kLargerThanCaches = index_t{4} << 20; // bytes
/// A function of the user's may cost anything: it is called once.
constexpr std::uint32_t kMostExpensive = 64;

/// A stage of its own takes as long as this many operations on elements.
constexpr index_t kStage = 512;

/// Of stages of many operations, each operation takes, of however few elements, and with its part of the
/// planning, as long as on this many: else a sum over all steps of a loop, of which each step reads a bit,
/// would be planned in each of them from the first step on.
constexpr std::uint32_t kManyOperations = 16;
constexpr index_t kOperation = 256;

/// What is counted as read, at most: times a cost it is still an integer.
constexpr index_t kMostUses = index_t{1} << 56;
constexpr index_t kMostComputations = index_t{1} << 32;

/// Up to this many elements a constant expression is computed, however few its constants have.
constexpr index_t kSmall = 1024;

/// Facts about a node of the shared graph.
struct NodeFacts {
    NodePtr lowered;           ///< its replacement in stages; same addresses
    std::size_t stage = kNone; ///< the only one that computes it; `kMany` if several do
    index_t uses = 0;          ///< elements that its users read, each as often as it is computed
    index_t plain_use = 0;     ///< by the user that reads most of it as it is
    std::vector<std::pair<Dimensions, index_t>> views; ///< the same by users through each view
    index_t computations = 0;     ///< how often stages compute it, unless it is one itself
    std::uint32_t operations = 0; ///< that make an element
    std::uint32_t cost = 0;       ///< of an element, in operations
    std::uint32_t beyond = 0;     ///< of these, beyond what is better kept below; 0 if nothing is
    index_t constants = -1;       ///< if it depends on constants alone, elements of the largest;
                                  ///< else -1
    bool refuses_folding = false; ///< too large, or evaluating it throws
    bool realised = false;        ///< a stage of its own
    std::size_t output = kNone;   ///< the output that is this whole node
    std::vector<const StageResult*> results; ///< of a loop, a choice or an opaque stage
};
constexpr std::size_t kMany = kNone - 1;

class Cutter {
public:
    Cutter(std::span<const Operand> outputs, std::span<const NodePtr> placeholders,
           bool folds_arrays, std::size_t& slots)
        : outputs_(outputs),
          placeholders_(placeholders),
          folds_arrays_(folds_arrays),
          slots_(slots),
          order_(nodes_below(outputs)) {}

    std::vector<ProgramStage> run() {
        for (const Node* const node : order_) record(*node);
        for (std::size_t k = 0; k < outputs_.size(); ++k) claim_output(k);
        for (std::size_t i = order_.size(); i-- > 0;) decide(*order_[i], i);
        for (const Node* const node : order_) lower(*node);
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            if (!whole_[k]) add_view(k);
        return std::move(stages_);
    }

private:
    NodeFacts& facts(const Node& node) { return *facts_.find(&node); }
    static bool is_expensive(Op op) { return op == Op::map || is_transcendental(op); }

    // --- what is constant, and what is expensive ------------------------------------------------

    void record(const Node& node) {
        NodeFacts known;
        visit(
            node, [](const Leaf&) {}, [&](const Constant&) { known.constants = 1; },
            [&](const SymbolNode& symbol) {
                if (symbol.role() == Role::constant) known.constants = size_of(symbol);
                if (symbol.role() == Role::placeholder &&
                    !std::ranges::count(placeholders_, &node, &NodePtr::get))
                    throw SymbolError(
                        "computation: a symbol of another computation is used; call that one with symbols instead");
            },
            [&](const Elementwise& operation) {
                known.operations = 1;
                known.cost = operation.op() == Op::map           ? kMostExpensive
                             : is_transcendental(operation.op()) ? kExpensiveOperation
                                                                 : 1;
                add_below(node, known);
            },
            [&](const OneOf<Gather, Piecewise, Reduce, Scatter, ScanNode> auto&) {
                add_below(node, known);
            },
            [](const OneOf<OpaqueStage, Loop, Choice> auto&) {},
            [&](const StageResult& result) { facts(result.source()).results.push_back(&result); });
        facts_.try_emplace(&node, std::move(known));
        facts(node).beyond = cost_beyond(node);
    }

    /// What is known of a computed node by those below it.
    void add_below(const Node& node, NodeFacts& known) {
        known.constants = 0;
        for (const Node& node_below : nodes_of(node)) {
            const NodeFacts& below = facts(node_below);
            if (known.constants >= 0)
                known.constants =
                    below.constants < 0 ? -1 : std::max(known.constants, below.constants);
            if (node_below.kind() != NodeKind::elementwise) continue;
            known.cost = std::min(kMostExpensive, known.cost + below.cost);
            known.operations = std::min(kMostExpensive, known.operations + below.operations);
        }
    }

    /// What a node costs beyond one operand of no more elements, that is better kept; 0 if there is
    /// none, or if all that was added to what is better kept is expensive by itself.
    std::uint32_t cost_beyond(const Node& node) {
        const auto* const operation = node_as<Elementwise>(node);
        if (operation == nullptr || is_expensive(operation->op()) || !is_expensive(node)) return 0;
        const Node* expensive = nullptr;
        std::uint32_t cost = 1;
        for (const Node& below : nodes_of(node)) {
            if (below.kind() != NodeKind::elementwise || &below == expensive) continue;
            if (!is_expensive(below)) {
                cost += facts(below).cost;
                continue;
            }
            if (expensive != nullptr || !below.dtype().is_builtin()) return 0;
            expensive = &below;
        }
        if (expensive == nullptr || size_of(*expensive) > size_of(node)) return 0;
        cost += facts(*expensive).beyond;
        return cost < cost_of_memory(node) ? cost : 0;
    }

    // --- which nodes become stages --------------------------------------------------------------

    /// Of an element, in operations: from which on it is cheaper to write a result once and read it again.
    static index_t cost_of_memory(const Node& node) {
        const bool is_large = size_of(node) > kLargerThanCaches / node.dtype().size_bytes();
        return is_large ? kExpensiveInMemory : kExpensiveOperation;
    }
    bool is_expensive(const Node& node) { return facts(node).cost >= cost_of_memory(node); }

    /// An operation that is an output as a whole, in order, is computed into that output, by a stage.
    void claim_output(std::size_t output) {
        const Operand& root = outputs_[output];
        NodeFacts& known = facts(*root.node);
        const bool whole = is_computed(*root.node) && root.dtype().is_builtin() &&
                           known.output == kNone && known.constants < 0 && is_whole(root);
        whole_.push_back(whole);
        if (whole) {
            known.output = output;
            known.realised = true;
        } else {
            use(root, order_.size() + output);
            // In another order, much is computed faster in its own, and copied.
            if (is_computed(*root.node) && root.dtype().is_builtin() && known.constants < 0 &&
                known.cost >= kExpensiveOperation && root.dims.size() == size_of(*root.node) &&
                root.dims.is_unique())
                known.realised = true;
        }
    }

    /// An operand is read by a stage as a whole; or by as many computations `times` times, all together.
    void use(const Operand& operand, std::size_t stage, double times = 1,
             index_t computations = 1) {
        NodeFacts& below = facts(*operand.node);
        const double all = std::ceil(static_cast<double>(operand.dims.size()) * times);
        const index_t reads = all < kMostUses ? static_cast<index_t>(all) : kMostUses;
        below.uses = std::min(below.uses + reads, kMostUses);
        below.computations = std::min(below.computations + computations, kMostComputations);
        index_t& by_view = reads_through(below, operand);
        by_view = std::max(by_view, reads);
        below.stage = below.stage == kNone || below.stage == stage ? stage : kMany;
    }

    /// The elements that one stage reads through the view of this operand.
    static index_t& reads_through(NodeFacts& known, const Operand& operand) {
        if (!is_computed(*operand.node) || operand.dims.is_identity()) return known.plain_use;
        for (auto& [view, reads] : known.views)
            if (view == operand.dims) return reads;
        return known.views.emplace_back(operand.dims, 0).second;
    }
    /// How many elements are computed unless the node is a stage: by several stages for each of their
    /// reads, by one for each view through which it reads them.
    static index_t computed(const NodeFacts& known) {
        if (known.stage == kMany) return known.uses;
        index_t sum = known.plain_use;
        for (const auto& [view, reads] : known.views) sum = std::min(sum + reads, kMostUses);
        return sum;
    }
    /// Whether computing elements again costs more than to write all of them once and to read them.
    bool is_worth_memory(const Node& node) {
        const NodeFacts& known = facts(node);
        if (known.beyond > 0) return false;
        const index_t size = std::min(size_of(node), kMostUses);
        index_t again = (computed(known) - size) * known.cost;
        if (known.stage == kMany && known.operations >= kManyOperations)
            again += (known.computations - 1) * known.operations * kOperation;
        return size > 0 && again >= size * cost_of_memory(node) &&
               (again >= kStage || known.cost == kMostExpensive);
    }

    /// Decides whether a node becomes a stage, after all of its users.
    void decide(const Node& node, std::size_t number) {
        if (!is_computed(node)) return;
        NodeFacts& known = facts(node);
        const auto* const pieces = node_as<Piecewise>(node);
        if (is_stage(node) || (folds_arrays_ && pieces != nullptr && are_few_pieces(*pieces)))
            known.realised = true;
        const index_t size = size_of(node);
        if (node.dtype().is_builtin() && is_worth_memory(node)) known.realised = true;
        const bool is_once = known.realised || size == 0;
        const double times =
            is_once ? 1 : static_cast<double>(computed(known)) / static_cast<double>(size);
        const index_t computations = is_once || known.stage != kMany ? 1 : known.computations;
        if (node.kind() == NodeKind::result) return; // read where its stage puts it
        for (const Operand& operand : operands_of(node))
            use(operand, known.realised ? number : known.stage, times, computations);
        // A gather would compute single elements of a computed source, which is expensive.
        if (node.kind() == NodeKind::gather) realise(node_below(node, 0), size_of(node));
        // Loops and choices put what they read into memory: small arrays as stages, which are planned once.
        if (node.kind() != NodeKind::loop && node.kind() != NodeKind::choice) return;
        for (const Operand& operand : operands_of(node))
            if (operand.dims.is_identity() && operand.dims.size() <= kLargerThanCaches / 8 &&
                !operand.node->reads(Below::sparse | Below::blocks))
                realise(*operand.node, operand.dims.size());
    }

    /// A computed node of no more elements than are read one by one becomes a stage.
    void realise(const Node& node, index_t reads) {
        if (is_computed(node) && node.dtype().is_builtin() && size_of(node) <= reads)
            facts(node).realised = true;
    }

    // --- the stages -----------------------------------------------------------------------------

    Operand lowered(const Operand& operand) { return {facts(*operand.node).lowered, operand.dims}; }

    void lower(const Node& node) {
        NodeFacts& known = facts(node);
        if (node.kind() != NodeKind::result) known.lowered = NodePtr(&node);
        if (const auto* const symbol = node_as<SymbolNode>(node)) lower_symbol(*symbol);
        // The stage of a loop or a choice has placed its results.
        if (!is_computed(node) || node.kind() == NodeKind::result) return;

        // A node below that became a stage is no longer constant.
        for (const Node& below : nodes_of(node))
            if (facts(below).constants < 0) known.constants = -1;
        std::vector<Operand> operands;
        for (const Operand& operand : operands_of(node)) {
            if (known.constants < 0) fold(*operand.node);
            operands.push_back(lowered(operand));
        }
        if (!std::ranges::equal(operands_of(node), operands, {}, &Operand::node, &Operand::node))
            known.lowered = with_operands(node, operands);
        if (known.realised && !fold(node)) add_stage(node);
    }

    void lower_symbol(const SymbolNode& symbol) {
        if (symbol.role() == Role::placeholder) return;
        NodeFacts& known = facts(symbol);
        if (symbol.value().node == nullptr)
            throw SymbolError("computation: the " + std::string(name_of(symbol.role())) + " '" +
                              symbol.name() + "' has no value: update it before the call");
        known.lowered = symbol.value().node;
        if (symbol.role() == Role::constant && size_of(symbol) == 1 && symbol.dtype().is_builtin())
            known.lowered = block_constant(symbol.value());
    }

    /// Computes a constant operation now, if that takes no more room than its constants do. Returns
    /// whether `lowered` is a constant or a leaf then.
    bool fold(const Node& node) {
        NodeFacts& known = facts(node);
        if (known.constants < 0 || known.refuses_folding) return false;
        if (!is_computed(*known.lowered)) return true;
        const index_t size = size_of(node);
        known.refuses_folding = !node.dtype().is_builtin() ||
                                size > (folds_arrays_ ? std::max(kSmall, known.constants) : 1);
        if (known.refuses_folding) return false;
        try {
            visit_dtype(node.dtype(), "constant", [&]<typename T>(std::type_identity<T>) {
                auto buffer = allocate_uninitialized_buffer<T>(size);
                T* const values = static_cast<T*>(buffer->writable_memory().data);
                const Destination out(values);
                node_work(*known.lowered)->run({}, {&out, 1});
                known.lowered = size == 1 ? constant_operand<T>(*values).node
                                          : make_node<Leaf>(std::move(buffer));
            });
        } catch (...) {
            known.refuses_folding = true; // each run of the program throws it
        }
        return !known.refuses_folding;
    }

    /// Asked for other backends alone.
    bool reads_leaves(const Operand& operand) const {
        return !folds_arrays_ && std::ranges::any_of(nodes_below({&operand, 1}), [](auto* node) {
            return node->kind() == NodeKind::leaf;
        });
    }

    void add_stage(const Node& node) {
        const Operand root{facts(node).lowered, node.kind() == NodeKind::elementwise
                                                    ? Dimensions::row_major(shape_of(node))
                                                    : Dimensions()};
        std::vector<std::size_t> reads = slots_below(root);
        auto work = works_.of_node(root.node, reads);
        stages_.push_back({std::move(work), root, place(node), results_of(node), std::move(reads),
                           root.node->reads(Below::device), reads_leaves(root)});
    }

    /// Where the elements of a node go, and what reads them there.
    StageOutput place(const Node& node) {
        NodeFacts& known = facts(node);
        known.constants = -1;
        StageOutput place{&node, node.dtype(), size_of(node), kNone, known.output};
        // A result that is an output, and read by no stage, needs no slot.
        if (known.stage != kNone || (known.output == kNone && known.results.empty())) {
            place.slot = slots_++;
            const Shape flat = place.count == 1 ? Shape{} : Shape{place.count};
            known.lowered = placeholder_operand(node.dtype(), flat, place.slot).node;
        }
        return place;
    }
    std::vector<StageOutput> results_of(const Node& node) {
        const std::vector<const StageResult*> read = facts(node).results;
        std::vector<StageOutput> results;
        for (std::size_t i = 0; i < result_count(node); ++i) {
            const auto found = std::ranges::find(read, i, &StageResult::number);
            if (found != read.end()) {
                results.push_back(place(**found));
                continue;
            }
            const ResultType type = result_type(node, i);
            results.push_back({nullptr, type.dtype, Dimensions::row_major(type.shape).size()});
        }
        return results;
    }

    /// Adds a stage for an output that is a view, or is not computed.
    void add_view(std::size_t output) {
        const Operand& root = outputs_[output];
        fold(*root.node);
        const Operand view = lowered(root);
        std::vector<std::size_t> reads = slots_below(view);
        auto work = works_.of_view(view, reads);
        stages_.push_back({std::move(work),
                           view,
                           {nullptr, root.dtype(), root.dims.size(), kNone, output},
                           {},
                           std::move(reads),
                           view.node->reads(Below::device),
                           reads_leaves(view)});
    }

    std::span<const Operand> outputs_;
    std::span<const NodePtr> placeholders_;
    bool folds_arrays_;
    std::size_t& slots_;
    std::vector<const Node*> order_;
    NodeMap<NodeFacts> facts_;
    std::vector<bool> whole_;
    std::vector<ProgramStage> stages_;
    SharedWorks works_;
};

} // namespace

bool is_stage(const Node& node) {
    return visit(node, []<typename N>(const N&) { return StageNode<N>; });
}

std::vector<ProgramStage> cut_into_stages(std::span<const Operand> outputs,
                                          std::span<const NodePtr> placeholders, bool folds_arrays,
                                          std::size_t& slots) {
    return Cutter(outputs, placeholders, folds_arrays, slots).run();
}

} // namespace purview
