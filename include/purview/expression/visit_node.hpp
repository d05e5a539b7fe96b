#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/loop.hpp>
#include <purview/expression/opaque_stage.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/scan.hpp>
#include <purview/expression/scatter.hpp>
#include <purview/expression/symbol.hpp>

#include <concepts>
#include <utility>

namespace purview::inline v0_1 {

/// A parameter of several classes of nodes: `[](const OneOf<Leaf, Constant> auto& node)`.
template <typename T, typename... N>
concept OneOf = (std::same_as<T, N> || ...);
/// Of those that nothing but a stage of a computation computes.
template <typename T>
concept StageNode = OneOf<T, Reduce, Scatter, ScanNode, OpaqueStage, Loop, Choice, StageResult>;
/// Those, and some others.
template <typename T, typename... N>
concept StageNodeOr = StageNode<T> || OneOf<T, N...>;

/// Functions as one, of which the argument chooses the overload.
template <typename... F>
struct Overloads : F... {
    using F::operator()...;
};

/// Calls the overload among `f` that takes the class of the node's kind, and returns what it does.
/// All classes have to be taken: a call that forgets one, or says nothing of a new one, does not
/// compile. O(1).
template <typename... F>
decltype(auto) visit(const Node& node, F&&... f) {
    const Overloads<std::remove_cvref_t<F>...> visitor{std::forward<F>(f)...};
    switch (node.kind()) {
    case NodeKind::leaf: return visitor(static_cast<const Leaf&>(node));
    case NodeKind::constant: return visitor(static_cast<const Constant&>(node));
    case NodeKind::elementwise: return visitor(static_cast<const Elementwise&>(node));
    case NodeKind::gather: return visitor(static_cast<const Gather&>(node));
    case NodeKind::piecewise: return visitor(static_cast<const Piecewise&>(node));
    case NodeKind::symbol: return visitor(static_cast<const SymbolNode&>(node));
    case NodeKind::reduce: return visitor(static_cast<const Reduce&>(node));
    case NodeKind::scatter: return visitor(static_cast<const Scatter&>(node));
    case NodeKind::scan: return visitor(static_cast<const ScanNode&>(node));
    case NodeKind::opaque: return visitor(static_cast<const OpaqueStage&>(node));
    case NodeKind::loop: return visitor(static_cast<const Loop&>(node));
    case NodeKind::choice: return visitor(static_cast<const Choice&>(node));
    case NodeKind::result: return visitor(static_cast<const StageResult&>(node));
    }
    __builtin_unreachable(); // std::unreachable is C++23
}

} // namespace purview
