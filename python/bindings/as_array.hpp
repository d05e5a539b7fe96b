#pragma once

#include "array.hpp"

#include <purview/functional/elementwise/operands.hpp>

#include <cstdint>
#include <optional>

namespace purview_python {

enum class Copying : std::uint8_t { never, if_needed, always };

/// An array of any Python object: see `asarray`. Throws `TypeError` naming its type.
Array as_array(nb::handle object, std::optional<pv::DType> dtype = {},
               Copying copy = Copying::if_needed);
/// The same, or nothing for an object that is no array.
std::optional<Array> try_array(nb::handle object);
/// Values to write, among which a number, Python's or NumPy's, is weak: it has to fit. Nothing for what are none.
std::optional<pv::WeakOperand> try_values(nb::handle object);
/// An operand of an operation: a Python number is weak, one of NumPy's has its type. Nothing for what is no operand.
std::optional<pv::WeakOperand> try_operand(nb::handle object);
/// The same. Throws `TypeError` naming the type of what is no operand.
pv::WeakOperand operand_of(nb::handle object);

} // namespace purview_python
