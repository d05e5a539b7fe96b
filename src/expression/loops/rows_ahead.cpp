#include "expression/loops/rows_ahead.hpp"

#include "expression/derivatives/dependence.hpp"
#include "expression/derivatives/led_views.hpp"
#include "expression/node_map.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using derivatives::led_view;
using derivatives::own_shape;

/// Rows of more elements are computed in the step, which takes long anyway, and not kept for all steps.
constexpr index_t kLongRow = 4096;
/// The same for rows of more bytes together.
constexpr index_t kMostBytes = index_t{16} << 20;

/// What a node of the step is made of.
enum class MadeOf : std::uint8_t {
    fixed, ///< what does not change from step to step
    rows,  ///< rows of inputs, too, by operations that can be made of all rows together
    states ///< states, too; or by other operations
};

class RowsAhead {
public:
    RowsAhead(LoopRule rule, std::vector<Operand> operands)
        : rule_(std::move(rule)),
          operands_(std::move(operands)),
          outputs_(rule_.step->outputs),
          order_(nodes_below(outputs_)) {}

    NodePtr run() {
        const bool takes_all_steps = rule_.condition == nullptr && !rule_.is_counted;
        if (takes_all_steps && rule_.most > 1 && rule_.inputs > 0) {
            for (const Node* const node : order_) known_.try_emplace(node, facts_of(*node));
            find_ahead();
            if (ahead_.size() > 0) move();
        }
        return make_node<Loop>(std::move(rule_), std::move(operands_));
    }

private:
    struct Facts {
        MadeOf of = MadeOf::fixed;
        bool takes_long = false; ///< and is made of rows
    };

    std::size_t slot_of(const Node& node) const {
        return static_cast<const SymbolNode&>(node).slot();
    }
    bool is_input(std::size_t slot) const {
        return slot >= rule_.states && slot < rule_.states + rule_.inputs;
    }

    Facts facts_of(const Node& node) const {
        if (is_placeholder(node)) {
            const std::size_t slot = slot_of(node);
            if (is_input(slot))
                return {can_be_read(operands_[slot]) ? MadeOf::rows : MadeOf::states};
            if (slot < rule_.states) return {MadeOf::states};
            return {can_be_read(operands_[slot]) ? MadeOf::fixed : MadeOf::states};
        }
        Facts facts;
        for (const Node& below : nodes_of(node)) {
            const Facts& own = *known_.find(&below);
            facts.of = std::max(facts.of, own.of);
            facts.takes_long = facts.takes_long || own.takes_long;
        }
        if (facts.of == MadeOf::fixed && is_computed(node) && is_stage_of_several(node))
            return {MadeOf::states};
        if (facts.of != MadeOf::rows) return {facts.of};
        // What might throw is computed in its step, which the message names.
        const bool may_throw = !node.dtype().is_floating() && node.dtype() != boolean;
        const auto* const operation = node_as<Elementwise>(node);
        const bool is_of_rows =
            operation == nullptr ? node.kind() == NodeKind::reduce : operation->op() != Op::map;
        if (may_throw || !is_of_rows) return {MadeOf::states};
        facts.takes_long =
            facts.takes_long || operation == nullptr || is_transcendental(operation->op());
        return facts;
    }
    static bool is_stage_of_several(const Node& node) {
        return node.kind() == NodeKind::result || result_count(node) > 0;
    }
    static bool can_be_read(const Operand& operand) {
        return !operand.node->reads(Below::blocks | Below::sparse);
    }

    /// The nodes made of rows that are read by what is made of states, or are results.
    void find_ahead() {
        index_t bytes = 0;
        const auto add = [&](const Node& node) {
            const Facts& facts = *known_.find(&node);
            if (facts.of != MadeOf::rows || !facts.takes_long || ahead_.contains(&node)) return;
            if (!node.dtype().is_builtin() || size_of(node) > kLongRow) return;
            const index_t more = rule_.most * size_of(node) * node.dtype().size_bytes();
            if (bytes + more > kMostBytes) return;
            bytes += more;
            ahead_.try_emplace(&node, ahead_.size());
        };
        for (const Node* const node : order_)
            if (known_.find(node)->of == MadeOf::states)
                for (const Node& below : nodes_of(*node)) add(below);
        for (const Operand& output : outputs_) add(*output.node);
    }

    void move() {
        const std::size_t first_other = rule_.states + rule_.inputs;
        std::vector<Operand> rows;
        for (const auto& [node, number] : ahead_) rows.push_back(of_all_rows(*node));

        // Inputs that are still read, then what is computed ahead, then the others, if still read.
        std::vector<bool> is_read(operands_.size());
        const std::vector<Operand> cut = rewritten(outputs_, [&](const Node& node, NodePtr now) {
            return ahead_.contains(&node) ? row_of(node, 0).node : now;
        });
        for (const Node* const node : nodes_below(cut))
            if (is_placeholder(*node) && known_.contains(node)) is_read[slot_of(*node)] = true;
        std::vector<Operand> operands(operands_.begin(), operands_.begin() + at(rule_.states));
        TracedOutputs step;
        std::vector<NodePtr> own(operands_.size());
        const auto keep = [&](std::size_t slot) {
            const Node& old = *rule_.step->placeholders[slot];
            own[slot] =
                placeholder_operand(old.dtype(), shape_of(old), step.placeholders.size()).node;
            step.placeholders.push_back(own[slot]);
        };
        for (std::size_t i = 0; i < rule_.states; ++i) keep(i);
        for (std::size_t i = rule_.states; i < first_other; ++i) {
            if (!is_read[i]) continue;
            keep(i);
            operands.push_back(operands_[i]);
        }
        std::vector<NodePtr> ahead;
        for (const auto& [node, number] : ahead_) {
            ahead.push_back(row_of(*node, step.placeholders.size()).node);
            step.placeholders.push_back(ahead.back());
            operands.push_back(rows[number]);
        }
        rule_.inputs = operands.size() - rule_.states;
        for (std::size_t i = first_other; i < operands_.size(); ++i) {
            if (!is_read[i]) continue;
            keep(i);
            operands.push_back(operands_[i]);
        }
        step.outputs = rewritten(outputs_, [&](const Node& node, NodePtr now) {
            if (const std::size_t* const number = ahead_.find(&node)) return ahead[*number];
            if (!is_placeholder(node)) return now;
            const NodePtr& kept = own[slot_of(node)];
            return kept == nullptr ? now : kept;
        });
        rule_.step = std::make_shared<const TracedOutputs>(std::move(step));
        operands_ = std::move(operands);
    }
    static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
    /// Not a placeholder of the step: its slot is a new one.
    static Operand row_of(const Node& node, std::size_t slot) {
        return placeholder_operand(node.dtype(), own_shape(node), slot);
    }

    Shape with_rows(ShapeSpan shape) const {
        Shape all = to_shape(shape);
        all.insert(all.begin(), rule_.most);
        return all;
    }

    /// A node for all rows, of its own shape behind an axis for these. Iterative.
    Operand of_all_rows(const Node& root) {
        const Operand seen{NodePtr(&root), Dimensions::row_major(own_shape(root))};
        for (const Node* const node : nodes_below(std::span(&seen, 1)))
            if (!done_.contains(node)) done_.try_emplace(node, made(*node));
        return *done_.find(&root);
    }
    Operand made(const Node& node) const {
        if (is_placeholder(node)) return operands_[slot_of(node)];
        if (known_.find(&node)->of == MadeOf::fixed) {
            if (!is_computed(node)) return {NodePtr(&node), {}};
            std::vector<Operand> operands;
            for (const Operand& operand : operands_of(node)) operands.push_back(in_loop(operand));
            const index_t size = size_of(node);
            return {with_operands(node, operands), Dimensions::row_major(ShapeSpan(&size, 1))};
        }
        if (const auto* const operation = node_as<Elementwise>(node)) {
            std::vector<Operand> operands;
            for (std::size_t i = 0; i < operation->inputs().size(); ++i)
                operands.push_back(seen_by_rows(operation->operand(i)));
            const Shape shape = with_rows(operation->shape());
            return {elementwise_node(operation->op(), node.dtype(), operands,
                                     operation->shared_function()),
                    Dimensions::row_major(shape)};
        }
        const auto& fold = static_cast<const Reduce&>(node);
        const index_t groups = fold.groups();
        return reduce_operand(fold.reduction(), seen_by_rows(fold.operand()), rule_.most * groups,
                              with_rows({&groups, 1}));
    }
    /// What does not change, of the operands of the loop.
    Operand in_loop(const Operand& operand) const {
        const Operand& now = *done_.find(operand.node.get());
        return now.node == operand.node ? operand : replaced(operand, now);
    }
    /// An operand in the step for all rows: what does not change is repeated.
    Operand seen_by_rows(const Operand& operand) const {
        if (known_.find(operand.node.get())->of == MadeOf::rows)
            return led_view(*done_.find(operand.node.get()), 1, operand.dims,
                            size_of(*operand.node));
        Operand one = in_loop(operand);
        one.dims = dimensions::expand(one.dims, with_rows(operand.dims.max_shape()));
        return one;
    }

    LoopRule rule_;
    std::vector<Operand> operands_;
    const std::vector<Operand> outputs_;
    std::vector<const Node*> order_;
    NodeMap<Facts> known_;
    NodeMap<std::size_t> ahead_; // the number of each node among those that are computed ahead
    NodeMap<Operand> done_;      // for all rows
};

} // namespace

NodePtr loop_with_rows_ahead(LoopRule rule, std::vector<Operand> operands) {
    return RowsAhead(std::move(rule), std::move(operands)).run();
}

} // namespace purview
