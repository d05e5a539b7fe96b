#include <purview/base/errors.hpp>
#include <purview/expression/symbol.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1 {

std::string_view name_of(Role role) noexcept {
    switch (role) {
    case Role::constant: return "constant";
    case Role::placeholder: return "placeholder";
    case Role::persistent: return "persistent";
    case Role::variable: return "variable";
    }
    std::unreachable();
}

SymbolNode::SymbolNode(DType dtype, ShapeSpan shape, std::size_t slot)
    : Node(kKind, dtype, Kind::computed, Below::symbol),
      role_(Role::placeholder),
      shape_(to_shape(shape)),
      slot_(slot),
      value_{nullptr, {}} {}

SymbolNode::SymbolNode(Role role, Operand value, std::string name)
    : Node(kKind, value.dtype(), Kind::computed, Below::symbol),
      role_(role),
      shape_(to_shape(value.dims.max_shape())),
      name_(std::move(name)),
      value_(std::move(value)) {
    PURVIEW_ASSERT(value_.dims.is_identity());
}

SymbolNode::SymbolNode(Role role, DType dtype, ShapeSpan shape, std::string name)
    : Node(kKind, dtype, Kind::computed, Below::symbol),
      role_(role),
      shape_(to_shape(shape)),
      name_(std::move(name)),
      value_{nullptr, {}} {}

Operand placeholder_operand(DType dtype, ShapeSpan shape, std::size_t slot) {
    Dimensions dims = Dimensions::row_major(shape);
    return {make_node<SymbolNode>(dtype, shape, slot), std::move(dims)};
}

Operand symbol_operand(Role role, Operand value, std::string name) {
    Dimensions dims = value.dims;
    return {make_node<SymbolNode>(role, std::move(value), std::move(name)), std::move(dims)};
}

void throw_no_elements(const Node& node, const char* what) {
    const auto* const symbol = node_as<SymbolNode>(node);
    const std::string which =
        symbol == nullptr
            ? fmt::format("this is computed from symbols, of type {}", node.dtype().name())
            : fmt::format("this one is a {}{}{} of type {} and shape {}", name_of(symbol->role()),
                          symbol->name().empty() ? "" : " ", symbol->name(), symbol->dtype().name(),
                          to_string(symbol->shape()));
    if (what != nullptr)
        throw SymbolError(
            fmt::format("{0}: a symbol has no elements: call the computation, and {0} "
                        "with what it returns ({1})",
                        what, which));
    throw SymbolError(fmt::format("a symbol has no elements: call the computation ({}); where, "
                                  "maximum and minimum do what if, while and max of elements would",
                                  which));
}

} // namespace purview
