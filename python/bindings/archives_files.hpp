#pragma once

#include "array.hpp"

namespace purview_python {

void bind_archives_files(nb::module_& module);

} // namespace purview_python
