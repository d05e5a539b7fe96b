#pragma once

#include "array.hpp"

#include <vector>

namespace purview_python {

/// Slots of the class, which Python calls without a look-up of a method.
void add_operators(std::vector<PyType_Slot>& slots);

} // namespace purview_python
