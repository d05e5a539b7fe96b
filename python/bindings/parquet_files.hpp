#pragma once

#include "array.hpp"

namespace purview_python {

void bind_parquet_files(nb::module_& module);

} // namespace purview_python
