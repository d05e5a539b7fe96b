#pragma once

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/program.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/node.hpp>
#include <purview/expression/operations.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/scatter.hpp>
#include <purview/expression/symbol.hpp>

#include "dimensions/layer.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace purview::inline v0_1::saved {

/// How an operand of an element-wise operation of this shape is seen, if nothing else is said.
inline Dimensions usual_view(const Node& node, ShapeSpan shape) {
    return node.kind() == NodeKind::constant ? dimensions::repeated(shape)
                                             : Dimensions::row_major(shape);
}

/// Elements of a computed node, at most: times the bytes of one, or a cost, it is still an integer.
inline constexpr index_t kMostElements = index_t{1} << 56;
/// Whether a node is computed and has more elements than that. What stays sparse may have.
bool is_too_large(const Node& node);
/// The first result of a loop, a choice or a stage that has more, or more axes than there may be.
std::optional<std::size_t> too_large_result(const Node& source);

/// Functions within functions, at most: compiling one compiles those that it calls.
inline constexpr int kDeepest = 64;

/// Whether programs have outputs of the same number and types.
bool have_equal_outputs(const TracedOutputs& a, const TracedOutputs& b);

/// Makes the nodes of what is loaded, one after the other, and checks each before: types, shapes, and
/// that every view lies within what it sees. All functions throw `FormatError` naming the node.
class NodeBuilder {
public:
    const std::vector<NodePtr>& nodes() const noexcept { return nodes_; }
    /// Throws also for one that is too large for memory.
    void add(NodePtr node);

    [[noreturn]] void fail(std::string_view message) const;

    /// A node that has been added.
    const NodePtr& node(std::size_t number) const;
    /// Seen through `dims`.
    Operand operand(std::size_t number, Dimensions dims) const;

    /// Layers, the outer one first, of which the addresses are in [0, size).
    Dimensions dims(std::vector<dimensions::Layer> layers, index_t size) const;
    /// A map of an axis; throws unless it is one of `extent` elements.
    void check(const AxisMap& map, index_t extent) const;
    /// The number of elements of a shape.
    index_t size(ShapeSpan shape) const;

    // Of these three: precondition: `size` has accepted the shape.
    NodePtr elementwise(Op op, DType dtype, ShapeSpan shape,
                        std::span<const Operand> operands) const;
    NodePtr registered(std::string_view name, DType dtype, ShapeSpan shape,
                       std::span<const Operand> operands) const;
    NodePtr library(std::string_view name, DType dtype, ShapeSpan shape,
                    std::span<const Operand> operands) const;
    NodePtr gather(std::string_view what, ShapeSpan shape, GatherAxes axes,
                   std::vector<Operand> operands);
    NodePtr pieces(std::string_view what, ShapeSpan shape, std::vector<Shape> begins,
                   std::vector<Operand> operands);
    NodePtr reduce(Reduction reduction, index_t groups, Operand operand) const;
    NodePtr scatter(ScatterPlace place, std::vector<Operand> operands) const;
    NodePtr reducer(std::string_view name, bool skips_nan, index_t groups, Operand operand) const;
    NodePtr scan(index_t length, index_t inner, Operand operand) const;
    NodePtr argument(std::size_t slot, DType dtype, ShapeSpan shape) const;
    /// What a node calls; one that was read before is not made again.
    SharedGraph function(TracedOutputs graph);
    NodePtr loop(LoopRule rule, std::vector<Operand> operands);
    NodePtr choice(SharedGraph chosen, SharedGraph other, std::vector<Operand> operands);
    NodePtr stage(std::string_view name, std::span<const index_t> attributes,
                  std::vector<Operand> operands) const;
    NodePtr result(const NodePtr& source, index_t number) const;

private:
    /// Throws unless `groups` are equal parts of an operand, each of whole axes, with elements where
    /// these are needed.
    void check_parts(const Operand& operand, index_t groups, bool of_elements) const;
    /// The name of an operation that gathers or puts together.
    OperationName name_of_operation(std::string_view name);
    void check_shapes(ShapeSpan shape, std::span<const Operand> operands) const;
    void check_types(Op op, DType dtype, std::span<const Operand> operands) const;
    void check_axes(const GatherAxes& axes, ShapeSpan source, ShapeSpan shape,
                    std::span<const Operand> indexes) const;
    void check_disjoint(const std::vector<Shape>& begins, std::span<const Operand> operands) const;

    /// Throws unless arguments are those of a function: of their types and shapes.
    void check_arguments(const TracedOutputs& function, std::span<const Operand> arguments) const;
    void check_results(const Node& source) const;

    std::vector<NodePtr> nodes_;
    std::unordered_multimap<std::size_t, SharedGraph> functions_; ///< by what they read and return
    // How deep functions are nested in each; the nodes are those that call them.
    std::unordered_map<const TracedOutputs*, int> function_depths_;
    std::unordered_map<const Node*, int> depths_;
    index_t parts_ = 0;  ///< nodes and their operands
    index_t visits_ = 0; ///< of these, while functions are checked
    OperationName last_name_{""};
};

/// The operation that is printed by this name, but none for functions of users.
std::optional<Op> named_op(std::string_view name);

} // namespace purview::saved
