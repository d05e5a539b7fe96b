#pragma once

#include "array.hpp"
#include "tracing.hpp"

#include <purview/tensor/symbol.hpp>

namespace purview_python {

/// What Python calls `Variable`: a symbol that owns its value.
class Variable {
public:
    explicit Variable(pv::AnySymbol symbol) noexcept : symbol_(std::move(symbol)) {}

    const pv::AnySymbol& symbol() const noexcept { return symbol_; }
    /// The symbol, in a function that is traced for later calls; elsewhere its value.
    Array array() const {
        return is_tracing_for_later() ? Array(symbol_.operand()) : symbol_.value();
    }

private:
    pv::AnySymbol symbol_;
};

} // namespace purview_python
