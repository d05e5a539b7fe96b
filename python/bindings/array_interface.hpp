#pragma once

#include "array.hpp"

#include <optional>

namespace purview_python {

/// The memory that `__array_interface__` or `__array_struct__` describes, in place. Nothing where there is none, or for types that are not ours.
std::optional<Array> array_of_interface(nb::handle object);
/// What `__array_interface__` of an array is. Throws `AttributeError` where NumPy has no such type.
nb::object interface_of(const Array& x);
/// The counts of times, in place where they are memory.
Array counts_of(const Array& times);

} // namespace purview_python
