#pragma once

#include "array.hpp"

namespace purview_python {

void bind_lanes(nb::module_& module);

} // namespace purview_python
