#pragma once

#include "array.hpp"

#include <purview/functional/elementwise/operands.hpp>

#include <vector>

namespace purview_python {

/// A function of elements of what has dims, or of that and another array or number: lazy.
nb::object over_dims(Array (*function)(const Array&), nb::handle x);
nb::object over_dims(Array (*function)(pv::WeakOperand, pv::WeakOperand), nb::handle x,
                     nb::handle y);
/// The operators of dims, of expressions of them, and of arrays over them.
void add_dim_operators(std::vector<PyType_Slot>& slots);

} // namespace purview_python
