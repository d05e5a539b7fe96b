#pragma once

#include "array.hpp"

namespace purview_python {

void bind_whole_arrays(nb::module_& module);

} // namespace purview_python
