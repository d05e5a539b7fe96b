#pragma once

#include "array.hpp"

namespace purview_python {

void bind_sparse_files(nb::module_& module);

} // namespace purview_python
