#pragma once

#include "array.hpp"

namespace purview_python {

void bind_groups(nb::module_& module);

} // namespace purview_python
