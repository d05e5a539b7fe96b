#pragma once

#include "array.hpp"

#include <purview/table/columns.hpp>

#include <string>

namespace purview_python {

/// Whether an object is an array of Arrow's, in chunks or not, or a table.
bool is_arrow(nb::handle object);
/// The values of one. Throws `TypeError` for a table, `FormatError` where some are missing.
Array array_of_arrow(nb::handle object);
/// Times as those that NumPy has, without a zone; all else as it is.
Array in_numpys_times(const Array& values);
/// An array as a column for Arrow: NaT is missing, and time points have no zone.
pv::Column column_for_arrow(std::string name, const Array& x);
void bind_interop(nb::module_& module, nb::class_<Array>& array);

} // namespace purview_python
