#include <purview/base/errors.hpp>
#include <purview/evaluation/replace.hpp>
#include <purview/tensor/symbol.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace purview::inline v0_1 {
namespace {

/// The whole value that a symbol owns, also if `symbol` is a view of a part of it.
const Operand& owned_value(const AnySymbol& symbol, const char* what) {
    const SymbolNode* const node = symbol_of(symbol.operand());
    if (node == nullptr)
        throw SymbolError(
            fmt::format("{}: the result of an operation on symbols owns no value", what));
    if (node->role() == Role::placeholder)
        throw SymbolError(fmt::format(
            "{}: a placeholder owns no value; it is given when the computation is called", what));
    return node->value();
}

std::string title(const SymbolNode& node) {
    return fmt::format("{}{}{}", name_of(node.role()), node.name().empty() ? "" : " ", node.name());
}

} // namespace

Role AnySymbol::role() const {
    if (!has_role()) throw SymbolError("role: the result of an operation on symbols has none");
    return symbol_of(operand())->role();
}

std::string AnySymbol::name() const { return has_role() ? symbol_of(operand())->name() : ""; }

AnyTensor AnySymbol::value() const { return AnyTensor::writable(owned_value(*this, "value")); }

void AnySymbol::update(const AnyTensor& value) const {
    const Operand& own = owned_value(*this, "update");
    const SymbolNode& node = *symbol_of(operand());
    if (node.role() == Role::constant)
        throw ReadOnlyError(fmt::format("update: the {} cannot be written", title(node)));
    if (value.dtype() != own.dtype())
        throw DtypeError(fmt::format("update: the {} has type {}, not {}", title(node),
                                     own.dtype().name(), value.dtype().name()));
    if (!std::ranges::equal(value.operand().dims.max_shape(), own.dims.max_shape()))
        throw ShapeError(fmt::format("update: the {} has shape {}, not {}", title(node),
                                     to_string(own.dims.max_shape()), to_string(value.shape())));
    replace_elements(value.operand(), own);
}

std::ostream& operator<<(std::ostream& out, const AnySymbol& symbol) {
    out << "#purview.symbol<" << symbol.dtype().name() << '>' << to_string(symbol.shape());
    if (symbol.has_role()) out << ' ' << title(*symbol_of(symbol.operand()));
    return out;
}

} // namespace purview
