#pragma once

#include "array.hpp"

#include <vector>

namespace purview_python {

void add_indexing(std::vector<PyType_Slot>& slots);

} // namespace purview_python
