#pragma once

#include "expression/node_map.hpp"

#include <purview/expression/loop.hpp>
#include <purview/functional/applied/traced_function.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// Functions that a node calls, traced with placeholders of their own. What they read besides, tensors and
/// symbols, becomes operands of the node, which all of them take behind their arguments.
class PURVIEW_EXPORT CapturedOperands {
public:
    /// What the functions make of captured operands alone is an operand, too, computed once before the first call.
    CapturedOperands() = default;
    /// The functions compute it, as they may not be called; but what is computed for these anyway is an operand.
    explicit CapturedOperands(std::span<const Operand> computed_anyway);

    /// Calls the function, of arguments of the types and shapes of these operands.
    TracedOutputs trace(const FunctionOfSymbols& function, std::span<const Operand> arguments);

    /// What `trace` gave as a graph that reads nothing but its placeholders and numbers: its arguments, and
    /// then what all functions that were traced have captured.
    SharedGraph graph(const TracedOutputs& traced) const;
    const std::vector<Operand>& operands() const noexcept { return operands_; }

private:
    void capture(const Node& node);
    bool is_worth_computing(const Node& node) const;

    std::vector<Operand> operands_; ///< whole nodes
    NodeMap<std::size_t> numbers_;  ///< of these nodes among the operands
    NodeSet seen_;
    std::optional<NodeSet> anyway_; ///< what is computed, too, before a call; if nothing else is
};

} // namespace purview
