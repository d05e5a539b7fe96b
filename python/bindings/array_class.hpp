#pragma once

#include "array.hpp"

#include <vector>

namespace purview_python {

nb::tuple to_tuple(pv::ShapeSpan values);
void add_properties(std::vector<PyType_Slot>& slots);
void bind_array(nb::module_& module, nb::class_<Array>& array);

} // namespace purview_python
