#pragma once

#include "array.hpp"

namespace purview_python {

void bind_saved(nb::module_& module);

} // namespace purview_python
