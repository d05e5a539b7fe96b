#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/expression/node.hpp>

#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

class BlockFunction;
enum class Op : std::uint8_t;

/// A traced function as a graph: outputs over placeholders.
struct TracedOutputs {
    std::vector<Operand> outputs;
    std::vector<NodePtr> placeholders; ///< placeholder i has slot i
};

/// How many operands a node has: none for a leaf, a constant or a symbol.
PURVIEW_EXPORT std::size_t operand_count(const Node& node) noexcept;
/// An operand of a node, which an operation makes as it is asked for; and its node alone.
PURVIEW_EXPORT Operand operand_of(const Node& node, std::size_t number);
PURVIEW_EXPORT const Node& node_below(const Node& node, std::size_t number) noexcept;

/// The operands of a node, as a range of values.
inline auto operands_of(const Node& node) {
    return std::views::iota(std::size_t{0}, operand_count(node)) |
           std::views::transform([&node](std::size_t i) { return operand_of(node, i); });
}
/// Their nodes.
inline auto nodes_of(const Node& node) {
    return std::views::iota(std::size_t{0}, operand_count(node)) |
           std::views::transform(
               [&node](std::size_t i) -> const Node& { return node_below(node, i); });
}

/// The distinct nodes below some operands: each once, operands before their users, left before
/// right. Iterative.
PURVIEW_EXPORT std::vector<const Node*> nodes_below(std::span<const Operand> roots);

/// The slots of the distinct placeholders below an operand, left before right.
PURVIEW_EXPORT std::vector<std::size_t> slots_below(const Operand& root);

/// The same operation as `node` on other operands, of the same types and shapes.
PURVIEW_EXPORT NodePtr with_operands(const Node& node, std::span<const Operand> operands);
/// An operation on operands that already have the right types and one common shape; an `Op::map` by
/// its function.
PURVIEW_EXPORT NodePtr elementwise_node(Op op, DType dtype, std::span<const Operand> operands,
                                        std::shared_ptr<const BlockFunction> function = nullptr);

/// The shape of which a node's own addresses are the row-major order. For an element-wise
/// operation, a gather, pieces, a symbol or one of several results.
PURVIEW_EXPORT ShapeSpan shape_of(const Node& node) noexcept;

/// How many elements a node has in its own address space. For all but constants.
PURVIEW_EXPORT index_t size_of(const Node& node) noexcept;

/// Whether an operand is all elements of its node, in the node's order. Not for constants.
inline bool is_whole(const Operand& operand) noexcept {
    return operand.dims.is_identity() && operand.dims.size() == size_of(*operand.node);
}

/// The elements of an operand that `view` shows, by their row-major indexes.
inline Operand seen_through(const Dimensions& view, const Operand& operand) {
    return {operand.node, dimensions::compose(view, operand.dims)};
}

/// `operand` after its node was replaced by `by`: row-major indexes of `by` are the addresses of
/// that node.
PURVIEW_EXPORT Operand replaced(const Operand& operand, const Operand& by);

/// The roots with nodes below them replaced. `f(node, now)` is called for each distinct node,
/// operands before their users; `now` is the node itself, or the same on operands that were replaced.
/// It returns what stands in its place, of the same addresses. A replacement is kept until its last
/// user is made.
PURVIEW_EXPORT std::vector<Operand> rewritten(std::span<const Operand> roots,
                                              FunctionRef<NodePtr(const Node&, NodePtr)> f);

/// An expression whose placeholders are replaced again and again. The roots must outlive it.
class PURVIEW_EXPORT Substitution {
public:
    explicit Substitution(std::span<const Operand> roots);

    /// True if there is nothing to replace.
    bool empty() const noexcept { return steps_.empty(); }
    /// The roots with `bindings[slot]` in the place of placeholder `slot`.
    std::vector<Operand> operator()(std::span<const Operand* const> bindings) const;

private:
    static constexpr std::uint32_t kKept = UINT32_MAX;

    /// A node over placeholders, and the steps that rebuild its operands.
    struct Step {
        const Node* node;
        std::vector<std::uint32_t> operands;
    };

    std::span<const Operand> roots_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> root_steps_;
};

} // namespace purview
