#pragma once

#include "array.hpp"

namespace purview_python {

void bind_along(nb::module_& module);

} // namespace purview_python
