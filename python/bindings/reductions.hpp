#pragma once

#include "array.hpp"

namespace purview_python {

void bind_reductions(nb::module_& module, nb::class_<Array>& array);

} // namespace purview_python
