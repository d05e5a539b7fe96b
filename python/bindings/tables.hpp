#pragma once

#include "array.hpp"

#include <purview/table/columns.hpp>

namespace purview_python {

/// A table as a dict: by name the values, and where they are missing.
nb::object table_in_python(const pv::Columns& columns);
/// A table of arrays by name, or of pairs: values, and which of them are missing. Throws `TypeError`.
pv::Columns table_of_python(const char* what, const nb::dict& columns);

} // namespace purview_python
