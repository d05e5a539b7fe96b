#pragma once

#include "array.hpp"

#include <purview/functional/elementwise/operands.hpp>

namespace purview_python {

/// Defines a function of the elements of one array, or of what becomes one; of arrays with dims too.
void define(nb::module_& module, const char* name, Array (*function)(const Array&),
            const char* text);
/// The same of two arrays that are broadcast together, one of which may be a number.
void define(nb::module_& module, const char* name,
            Array (*function)(pv::WeakOperand, pv::WeakOperand), const char* text);
void bind_elementwise(nb::module_& module);

} // namespace purview_python
