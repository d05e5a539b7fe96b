#include <purview/base/errors.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/symbol.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace purview::inline v0_1 {
namespace {

/// The whole value that a symbol owns, also if `symbol` is a view of a part of it.
const SymbolNode& owning_node(const AnySymbol& symbol, const char* what) {
    const SymbolNode* const node = symbol_of(symbol.operand());
    if (node == nullptr)
        throw SymbolError(
            fmt::format("{}: the result of an operation on symbols owns no value", what));
    if (node->role() == Role::placeholder)
        throw SymbolError(fmt::format(
            "{}: a placeholder owns no value; it is given when the computation is called", what));
    return *node;
}
const Operand& owned_value(const AnySymbol& symbol, const char* what) {
    const SymbolNode& node = owning_node(symbol, what);
    if (node.value().node == nullptr)
        throw SymbolError(fmt::format("{}: the {} {} has no value: update it first", what,
                                      name_of(node.role()), node.name()));
    return node.value();
}

std::string title(const SymbolNode& node) {
    return fmt::format("{}{}{}", name_of(node.role()), node.name().empty() ? "" : " ", node.name());
}

} // namespace

Operand AnySymbol::traced(Operand operand) {
    if (!operand.node->reads(Below::symbol))
        throw SymbolError(
            fmt::format("a tensor of {} and shape {} reads no symbol, and becomes one by "
                        "constant(…), persistent(…) or variable(…)",
                        operand.dtype().name(), to_string(operand.dims.max_shape())));
    return operand;
}

Role AnySymbol::role() const {
    if (!has_role()) throw SymbolError("role: the result of an operation on symbols has none");
    return symbol_of(operand())->role();
}

std::string AnySymbol::name() const { return has_role() ? symbol_of(operand())->name() : ""; }

AnyTensor AnySymbol::value() const { return AnyTensor::writable(owned_value(*this, "value")); }

void AnySymbol::update(const AnyTensor& value) const {
    const SymbolNode& node = owning_node(*this, "update");
    if (node.role() == Role::constant)
        throw ReadOnlyError(fmt::format("update: the {} cannot be written", title(node)));
    if (value.dtype() != node.dtype())
        throw DtypeError(fmt::format("update: the {} has type {}, not {}", title(node),
                                     node.dtype().name(), value.dtype().name()));
    if (!std::ranges::equal(value.operand().dims.max_shape(), node.shape()))
        throw ShapeError(fmt::format("update: the {} has shape {}, not {}", title(node),
                                     to_string(node.shape()), to_string(value.shape())));
    if (node.value().node == nullptr) return node.set_first_value(clone(value).operand());
    replace_elements(value.operand(), node.value());
}

std::ostream& operator<<(std::ostream& out, const AnySymbol& symbol) {
    out << "#purview.symbol<" << symbol.dtype().name() << '>' << to_string(symbol.shape());
    if (symbol.has_role()) out << ' ' << title(*symbol_of(symbol.operand()));
    return out;
}

} // namespace purview
