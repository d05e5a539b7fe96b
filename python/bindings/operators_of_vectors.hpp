#pragma once

#include "array.hpp"

namespace purview_python {

void bind_operators_of_vectors(nb::module_& module);

} // namespace purview_python
