#pragma once

#include "array.hpp"

namespace purview_python {

void bind_loops(nb::module_& module);

} // namespace purview_python
