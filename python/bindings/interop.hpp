#pragma once

#include "array.hpp"

namespace purview_python {

/// Whether an object is an array of Arrow's, in chunks or not, or a table.
bool is_arrow(nb::handle object);
/// The values of one. Throws `TypeError` for a table, `FormatError` where some are missing.
Array array_of_arrow(nb::handle object);
void bind_interop(nb::module_& module, nb::class_<Array>& array);

} // namespace purview_python
