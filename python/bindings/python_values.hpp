#pragma once

#include "array.hpp"

#include <optional>

namespace purview_python {

/// A Python number as a constant; nothing for another object.
std::optional<pv::Operand> try_number(nb::handle object);
/// A list, a tuple or a range.
bool is_sequence(nb::handle object);
/// The only element. Throws `ShapeError`.
nb::object element_to_python(const Array& x);
nb::object elements_to_list(const Array& x);
/// An array of rank 0 as a value of its own, which nothing writes to: no view, and read now, unless a function is traced.
Array element_value(const Array& element);
/// A number of Python's own types.
bool is_number(nb::handle x);

} // namespace purview_python
