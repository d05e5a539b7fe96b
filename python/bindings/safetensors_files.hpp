#pragma once

#include "array.hpp"

namespace purview_python {

void bind_safetensors_files(nb::module_& module);

} // namespace purview_python
