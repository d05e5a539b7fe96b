#pragma once

#include "expression/derivatives/elementwise_rules.hpp"
#include "expression/derivatives/led_views.hpp"
#include "expression/derivatives/loop_rules.hpp"
#include "expression/derivatives/zero_orders.hpp"
#include "expression/node_map.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1::derivatives {

/// The shape of which the addresses of a node are the row-major order.
inline Shape own_shape(const Node& node) {
    return visit(
        node,
        [](const OneOf<Elementwise, Gather, Piecewise, SymbolNode, OpaqueStage, StageResult> auto&
               shaped) { return to_shape(shaped.shape()); },
        [](const ScanNode& scan) { return to_shape(scan.operand().dims.max_shape()); },
        [](const OneOf<Leaf, Constant, Reduce, Scatter, Loop, Choice> auto& line) {
            return Shape{size_of(line)};
        });
}

/// The nodes below `y`, operands before their users, and which of them depend on `x` by numbers that
/// have derivatives.
class Dependence {
public:
    Dependence(std::span<const Operand> y, std::span<const Operand> x) : order_(nodes_below(y)) {
        for (const Operand& each : x) depends_.insert(each.node.get());
        for (const Node* const node : order_)
            if (has_derivatives(*node) &&
                std::ranges::any_of(nodes_of(made_of(*node)),
                                    [&](const Node& below) { return (*this)(below); }))
                depends_.insert(node);
        for (const Node* const node : order_)
            if (const auto* const fold = node_as<Reduce>(*node);
                fold != nullptr && fold->reduction() == Reduction::sum)
                summed_.insert(fold->operand().node.get());
        for (const Node* const node : order_)
            if (makes_infinite(*node) ||
                std::ranges::any_of(nodes_of(*node),
                                    [&](const Node& below) { return may_be_infinite(below); }))
                infinite_.insert(node);
    }
    Dependence(const Dependence&) = delete;
    Dependence& operator=(const Dependence&) = delete;

    const std::vector<const Node*>& order() const noexcept { return order_; }
    bool operator()(const Node& node) const { return depends_.contains(&node); }
    /// Whether a node is what a sum adds up.
    bool is_summed(const Node& node) const { return summed_.contains(&node); }
    /// Whether elements of a node, or the derivatives of them, may be infinite or NaN though arguments
    /// are finite: of functions with poles and ends, and of those that soon overflow. Products of finite
    /// numbers are taken for finite.
    bool may_be_infinite(const Node& node) const { return infinite_.contains(&node); }
    /// Whether a node makes them so of finite operands.
    static bool makes_infinite(const Node& node) {
        if (node.kind() == NodeKind::constant) {
            const bool is_float = node.dtype() == float32 || node.dtype() == float64;
            return is_float && !std::isfinite(*Numbers::value({NodePtr(&node), Dimensions()}));
        }
        if (const auto* const result = node_as<StageResult>(node))
            return std::ranges::any_of(functions_of(result->source()), [](const auto* function) {
                return std::ranges::any_of(nodes_below(function->outputs), [](const Node* below) {
                    return makes_infinite(*below);
                });
            });
        const auto* const operation = node_as<Elementwise>(node);
        return operation != nullptr && has_ends(*operation);
    }

    const NodeSet& nodes() const noexcept { return depends_; }
    const ZeroOrders& zero_orders() const noexcept { return zero_orders_; }

private:
    /// The node whose operands it is made of: results are of those of their stage.
    static const Node& made_of(const Node& node) {
        const auto* const result = node_as<StageResult>(node);
        return result == nullptr ? node : result->source();
    }
    static bool has_derivatives(const Node& node) {
        if (node.dtype().is_builtin() && !node.dtype().is_floating()) return false;
        const auto* const operation = node_as<Elementwise>(node);
        return operation == nullptr || has_derivative(*operation);
    }

    std::vector<const Node*> order_;
    NodeSet depends_;
    NodeSet summed_;
    NodeSet infinite_;
    ZeroOrders zero_orders_{order_, depends_};
};

/// The axes of a gather or a scatter behind leading ones.
inline GatherAxes led_axes(const GatherAxes& axes, std::size_t lead) {
    GatherAxes all;
    for (std::size_t a = 0; a < lead; ++a)
        all.push_back(GatherAxis::along(static_cast<index_t>(a)));
    for (GatherAxis axis : axes) {
        if (!axis.computed) axis.number += static_cast<index_t>(lead);
        all.push_back(std::move(axis));
    }
    return all;
}

/// The cumulative sums of `x`, which is of the shape of a scan behind leading axes, as that scan adds
/// them; or, `backwards`, from the end.
inline Operand led_scan(const ScanNode& scan, Operand x, std::size_t lead, bool backwards) {
    const Shape shape = to_shape(x.dims.max_shape());
    const index_t part = scan.length() * scan.inner();
    const index_t outer = part == 0 ? 0 : scan.operand().dims.size() / part;
    const auto axis = static_cast<index_t>(lead + 1);
    const auto turn = [&](Operand& each) {
        if (backwards) each.dims = dimensions::flip(each.dims, ShapeSpan(&axis, 1));
    };
    x = led_reshape(x, lead, std::array{outer, scan.length(), scan.inner()});
    turn(x);
    x = scan_operand(std::move(x), lead + 1);
    turn(x);
    x.dims = dimensions::reshape(x.dims, shape);
    return x;
}

} // namespace purview::derivatives
