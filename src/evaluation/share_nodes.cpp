#include "evaluation/share_nodes.hpp"

#include "expression/node_map.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <purview/expression/library_function.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::size_t mix(std::size_t a, std::size_t b) {
    return a ^ (b + std::size_t{0x9e3779b97f4a7c15} + (a << 6) + (a >> 2));
}

std::string_view bytes_of(const Constant& constant) {
    return {static_cast<const char*>(constant.value()),
            static_cast<std::size_t>(constant.dtype().size_bytes())};
}

bool is_number(const Node& node) {
    return node.kind() == NodeKind::constant && node.dtype().is_builtin();
}

/// Of what a node does, whatever its operands are.
std::size_t own_hash(const Node& node) {
    const std::size_t own = visit(
        node,
        [](const Constant& x) {
            return is_number(x) ? std::hash<std::string_view>{}(bytes_of(x)) : std::size_t{0};
        },
        [](const Elementwise& x) { return std::hash<std::string_view>{}(name_of(x)); },
        [](const Reduce& x) { return static_cast<std::size_t>(x.reduction()); },
        [](const Leaf& x) { return std::hash<const void*>{}(x.memory().data); },
        [](const StageResult& x) { return x.number(); },
        [](const OpaqueStage& x) { return std::hash<std::string_view>{}(x.function().name()); },
        [](const OneOf<Gather, Piecewise, SymbolNode, Scatter, ScanNode, Loop, Choice> auto&) {
            return std::size_t{0};
        });
    return mix(static_cast<std::size_t>(node.kind()) * 64 +
                   static_cast<std::size_t>(node.dtype().id()),
               own);
}

std::size_t hash(const Node& node) {
    std::size_t value = own_hash(node);
    for (const Operand& operand : operands_of(node))
        value = mix(mix(value, std::hash<const void*>{}(operand.node.get())), operand.dims.hash());
    return value;
}

bool does_same(const Constant& x, const Constant& y) {
    return is_number(x) && bytes_of(x) == bytes_of(y);
}
bool does_same(const Elementwise& x, const Elementwise& y) { return are_same_operation(x, y); }
bool does_same(const Gather& x, const Gather& y) {
    return std::string_view(x.what()) == y.what() && x.axes() == y.axes() &&
           std::ranges::equal(x.shape(), y.shape());
}
bool does_same(const Piecewise& x, const Piecewise& y) {
    return x.begins() == y.begins() && std::ranges::equal(x.shape(), y.shape());
}
bool does_same(const Reduce& x, const Reduce& y) {
    return x.reduction() == y.reduction() && x.groups() == y.groups();
}
bool does_same(const Scatter& x, const Scatter& y) { return x.place() == y.place(); }
bool does_same(const ScanNode& x, const ScanNode& y) {
    return x.length() == y.length() && x.inner() == y.inner();
}
bool does_same(const OpaqueStage& x, const OpaqueStage& y) {
    return x.function().does_same(y.function());
}
/// Graphs that have been found to be the same, so that those within others are not compared time and again.
using SameGraphs = std::set<std::pair<const TracedOutputs*, const TracedOutputs*>>;
bool are_same(const TracedOutputs& x, const TracedOutputs& y, SameGraphs& known);
bool does_same(const Loop& x, const Loop& y, SameGraphs& known) {
    const LoopRule& a = x.rule();
    const LoopRule& b = y.rule();
    return a.most == b.most && a.states == b.states && a.inputs == b.inputs &&
           a.is_counted == b.is_counted && a.is_backwards == b.is_backwards && a.keep == b.keep &&
           a.may_end_early == b.may_end_early &&
           (a.condition == nullptr) == (b.condition == nullptr) &&
           are_same(*a.step, *b.step, known) &&
           (a.condition == nullptr || are_same(*a.condition, *b.condition, known));
}
bool does_same(const Choice& x, const Choice& y, SameGraphs& known) {
    return are_same(*x.functions()[0], *y.functions()[0], known) &&
           are_same(*x.functions()[1], *y.functions()[1], known);
}
bool does_same(const StageResult& x, const StageResult& y) { return x.number() == y.number(); }
/// Two leaves may view the same memory, as `real(z)` makes one each time.
bool does_same(const Leaf& x, const Leaf& y) {
    if (&x == &y) return true;
    return x.memory() && x.memory().data == y.memory().data && x.size() == y.size() &&
           x.memory().stride_bytes == y.memory().stride_bytes;
}
bool does_same(const SymbolNode& x, const SymbolNode& y) { return &x == &y; }

/// Whether two nodes do the same with their operands.
bool do_same(const Node& a, const Node& b, SameGraphs& known) {
    if (a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
    return visit(a, [&]<typename N>(const N& x) {
        const N& y = static_cast<const N&>(b);
        if constexpr (OneOf<N, Loop, Choice>)
            return does_same(x, y, known);
        else
            return does_same(x, y);
    });
}

bool equal(const Node& a, const Node& b) {
    SameGraphs known;
    return do_same(a, b, known) && std::ranges::equal(operands_of(a), operands_of(b),
                                                      [](const Operand& x, const Operand& y) {
                                                          return x.node == y.node &&
                                                                 x.dims == y.dims;
                                                      });
}

/// The nodes below the outputs of a graph, and their numbers.
struct NumberedNodes {
    explicit NumberedNodes(const TracedOutputs& graph) : order(nodes_below(graph.outputs)) {
        for (std::size_t i = 0; i < order.size(); ++i) numbers.try_emplace(order[i], i);
    }
    std::size_t of(const Node& node) const { return *numbers.find(&node); }

    std::vector<const Node*> order;
    NodeMap<std::size_t> numbers;
};

bool are_same(const TracedOutputs& x, const TracedOutputs& y, SameGraphs& known) {
    if (&x == &y || known.contains({&x, &y})) return true;
    if (x.outputs.size() != y.outputs.size() || x.placeholders.size() != y.placeholders.size())
        return false;
    const NumberedNodes of_x(x);
    const NumberedNodes of_y(y);
    if (of_x.order.size() != of_y.order.size()) return false;
    const auto read_same = [&](const Operand& a, const Operand& b) {
        return of_x.of(*a.node) == of_y.of(*b.node) && a.dims == b.dims;
    };
    for (std::size_t i = 0; i < of_x.order.size(); ++i) {
        const Node& a = *of_x.order[i];
        const Node& b = *of_y.order[i];
        if (is_placeholder(a) && is_placeholder(b)) {
            const auto& p = static_cast<const SymbolNode&>(a);
            const auto& q = static_cast<const SymbolNode&>(b);
            if (p.slot() != q.slot() || p.dtype() != q.dtype() ||
                !std::ranges::equal(p.shape(), q.shape()))
                return false;
        } else if (!do_same(a, b, known) ||
                   !std::ranges::equal(operands_of(a), operands_of(b), read_same)) {
            return false;
        }
    }
    if (!std::ranges::equal(x.outputs, y.outputs, read_same)) return false;
    known.emplace(&x, &y);
    return true;
}

} // namespace

bool are_same_graphs(const TracedOutputs& x, const TracedOutputs& y) {
    SameGraphs known;
    return are_same(x, y, known);
}

std::size_t hash_of(const TracedOutputs& graph) {
    const NumberedNodes nodes(graph);
    std::size_t value = graph.placeholders.size();
    const auto add = [&](const Operand& operand) {
        value = mix(mix(value, nodes.of(*operand.node)), operand.dims.hash());
    };
    for (const Node* const node : nodes.order) {
        value = mix(value, own_hash(*node));
        for (const Operand& operand : operands_of(*node)) add(operand);
    }
    for (const Operand& output : graph.outputs) add(output);
    return value;
}

NodePtr NodeTable::shared(NodePtr node) {
    const std::size_t key = hash(*node);
    const auto [first, last] = nodes_.equal_range(key);
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return equal(*entry.second, *node); });
    return found == last ? nodes_.emplace(key, std::move(node))->second : found->second;
}

std::vector<Operand> share_nodes(std::span<const Operand> roots) {
    NodeTable table;
    return rewritten(roots,
                     [&](const Node&, NodePtr node) { return table.shared(std::move(node)); });
}

} // namespace purview
