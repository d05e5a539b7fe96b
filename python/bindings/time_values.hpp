#pragma once

#include "array.hpp"

#include <optional>

namespace purview_python {

/// Times of Python and of NumPy; nothing if the first object is none.
std::optional<Array> array_of_times(nb::handle times, pv::ShapeSpan shape);
/// The only element of an array of times. Throws `DtypeError` for another one.
nb::object time_to_python(const Array& x);

} // namespace purview_python
