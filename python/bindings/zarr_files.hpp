#pragma once

#include "array.hpp"

namespace purview_python {

void bind_zarr_files(nb::module_& module);

} // namespace purview_python
