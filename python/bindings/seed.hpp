#pragma once

#include "array.hpp"

#include <purview/functional/applied/random.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>

namespace purview_python {

/// A parameter that is a seed: an integer, or in a function that is traced an array that stands for one.
struct SeedArgument {
    nb::handle given{};

    /// For lazy random numbers. Throws `ShapeError`, `DtypeError` for an array that is no integer; as `number` for what is none.
    pv::Seed seed(const char* what) const;
    /// For what draws at once. Throws `SymbolError` naming it for an array of symbols, `TypeError` for what is no integer and `Error` for one of more than
    /// 64 bits or a negative one.
    std::uint64_t number(const char* what) const;
};

} // namespace purview_python

namespace nanobind::detail {

template <>
struct type_caster<purview_python::SeedArgument> {
    bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
        value.given = object;
        return true;
    }
    NB_TYPE_CASTER(purview_python::SeedArgument, const_name("int"))
};

} // namespace nanobind::detail
