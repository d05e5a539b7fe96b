#pragma once

#include "array.hpp"

#include <purview/expression/symbol.hpp>
#include <purview/functional/applied/random.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace purview_python {

/// A parameter that is a seed: an integer, or in a function that is traced an array that stands for one.
struct SeedArgument {
    std::uint64_t number = 0;
    std::optional<Array> symbol{};

    /// For lazy random numbers. Throws `ShapeError`, `DtypeError` for an array that is no integer.
    pv::Seed seed() const { return symbol ? pv::Seed(symbol->operand()) : pv::Seed(number); }
    /// For what draws at once. Throws `SymbolError` naming it for an array of symbols.
    std::uint64_t at_once(const char* what) const {
        if (symbol) pv::throw_no_elements(*symbol->operand().node, what);
        return number;
    }
};

} // namespace purview_python

namespace nanobind::detail {

template <>
struct type_caster<purview_python::SeedArgument> {
    bool from_python(handle object, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        const auto* const array = purview_python::array_in(object);
        if (array != nullptr && array->operand().node->reads(purview::Below::symbol)) {
            value.symbol = *array;
            return true;
        }
        make_caster<std::uint64_t> number;
        if (!number.from_python(object, flags, cleanup)) return false;
        value.number = number.value;
        return true;
    }
    NB_TYPE_CASTER(purview_python::SeedArgument, const_name("int"))
};

} // namespace nanobind::detail
