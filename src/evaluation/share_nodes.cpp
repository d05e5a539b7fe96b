#include "evaluation/share_nodes.hpp"

#include "expression/graph.hpp"

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/reduce.hpp>

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
    auto value =
        static_cast<std::size_t>(node.kind()) * 64 + static_cast<std::size_t>(node.dtype().id());
    if (is_number(node))
        return mix(value,
                   std::hash<std::string_view>{}(bytes_of(static_cast<const Constant&>(node))));
    if (node.kind() == NodeKind::elementwise) {
        const auto& operation = static_cast<const Elementwise&>(node);
        value = mix(value, static_cast<std::size_t>(operation.op()));
        value = mix(value, std::hash<const void*>{}(operation.function()));
    } else if (node.kind() == NodeKind::reduce) {
        value = mix(value, static_cast<std::size_t>(static_cast<const Reduce&>(node).reduction()));
    }
    for (const Operand& operand : operands_of(node))
        value = mix(mix(value, std::hash<const void*>{}(operand.node.get())), operand.dims.hash());
    return value;
}

bool same_operation(const Node& a, const Node& b) {
    if (a.kind() == NodeKind::elementwise) {
        const auto& x = static_cast<const Elementwise&>(a);
        const auto& y = static_cast<const Elementwise&>(b);
        return x.op() == y.op() && x.function() == y.function();
    }
    if (a.kind() == NodeKind::gather) {
        const auto& x = static_cast<const Gather&>(a);
        const auto& y = static_cast<const Gather&>(b);
        return std::string_view(x.what()) == y.what() && x.axes() == y.axes() &&
               std::ranges::equal(x.shape(), y.shape());
    }
    if (a.kind() == NodeKind::piecewise) {
        const auto& x = static_cast<const Piecewise&>(a);
        const auto& y = static_cast<const Piecewise&>(b);
        return x.begins() == y.begins() && std::ranges::equal(x.shape(), y.shape());
    }
    const auto& x = static_cast<const Reduce&>(a);
    const auto& y = static_cast<const Reduce&>(b);
    return x.reduction() == y.reduction() && x.groups() == y.groups();
}

bool equal(const Node& a, const Node& b) {
    if (a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
    if (is_number(a))
        return bytes_of(static_cast<const Constant&>(a)) ==
               bytes_of(static_cast<const Constant&>(b));
    return same_operation(a, b) && std::ranges::equal(operands_of(a), operands_of(b),
                                                      [](const Operand& x, const Operand& y) {
                                                          return x.node == y.node &&
                                                                 x.dims == y.dims;
                                                      });
}

} // namespace

std::vector<Operand> share_nodes(std::span<const Operand> roots) {
    std::unordered_multimap<std::size_t, NodePtr> table;
    std::unordered_map<const Node*, NodePtr> shared;
    const auto shared_operand = [&](const Operand& operand) {
        return Operand{shared.at(operand.node.get()), operand.dims};
    };
    const auto find_or_insert = [&](NodePtr node) {
        const std::size_t key = hash(*node);
        const auto [first, last] = table.equal_range(key);
        const auto found = std::find_if(
            first, last, [&](const auto& entry) { return equal(*entry.second, *node); });
        return found == last ? table.emplace(key, std::move(node))->second : found->second;
    };
    std::vector<Operand> operands;
    for (const Node* const node : nodes_below(roots)) {
        const auto before = operands_of(*node);
        NodePtr result(node);
        if (!before.empty()) {
            operands.clear();
            for (const Operand& operand : before) operands.push_back(shared_operand(operand));
            const bool changed =
                !std::ranges::equal(before, operands, {}, &Operand::node, &Operand::node);
            result = find_or_insert(changed ? with_operands(*node, operands) : result);
        } else if (is_number(*node)) {
            result = find_or_insert(result);
        }
        shared.emplace(node, std::move(result));
    }
    std::vector<Operand> results;
    for (const Operand& root : roots) results.push_back(shared_operand(root));
    return results;
}

} // namespace purview
