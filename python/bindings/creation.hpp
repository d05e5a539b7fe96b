#pragma once

#include "array.hpp"

namespace purview_python {

/// New memory of indeterminate elements.
Array new_array(pv::DType type, pv::ShapeSpan shape);
void bind_creation(nb::module_& module);

} // namespace purview_python
