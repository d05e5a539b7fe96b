#include "evaluation/share_nodes.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <purview/expression/library_function.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
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

std::size_t hash(const Node& node) {
    const std::size_t own = visit(
        node,
        [](const Constant& x) {
            return is_number(x) ? std::hash<std::string_view>{}(bytes_of(x)) : std::size_t{0};
        },
        [](const Elementwise& x) { return std::hash<std::string_view>{}(name_of(x)); },
        [](const Reduce& x) { return static_cast<std::size_t>(x.reduction()); },
        [](const Leaf& x) { return std::hash<const void*>{}(x.memory().data); },
        [](const OneOf<Gather, Piecewise, SymbolNode, Scatter, ScanNode, OpaqueStage> auto&) {
            return std::size_t{0};
        });
    std::size_t value = mix(static_cast<std::size_t>(node.kind()) * 64 +
                                static_cast<std::size_t>(node.dtype().id()),
                            own);
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
    return x.groups() == y.groups() && x.function().does_same(y.function());
}
/// Two leaves may view the same memory, as `real(z)` makes one each time.
bool does_same(const Leaf& x, const Leaf& y) {
    return x.memory() && x.memory().data == y.memory().data && x.size() == y.size() &&
           x.memory().stride_bytes == y.memory().stride_bytes;
}
bool does_same(const SymbolNode& x, const SymbolNode& y) { return &x == &y; }

bool equal(const Node& a, const Node& b) {
    if (a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
    const bool same =
        visit(a, [&]<typename N>(const N& x) { return does_same(x, static_cast<const N&>(b)); });
    return same && std::ranges::equal(operands_of(a), operands_of(b),
                                      [](const Operand& x, const Operand& y) {
                                          return x.node == y.node && x.dims == y.dims;
                                      });
}

} // namespace

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
