#pragma once

#include "array.hpp"

namespace purview_python {

void bind_index_sets(nb::module_& module);

} // namespace purview_python
