#pragma once

#include "array.hpp"

namespace purview_python {

/// Defines a function of the elements of one array, or of what becomes one; of arrays with dims too.
void define(nb::module_& module, const char* name, Array (*function)(const Array&),
            const char* text);
/// The same of two arrays that are broadcast together, one of which may be a number.
void define(nb::module_& module, const char* name,
            Array (*function)(pv::WeakOperand, pv::WeakOperand), const char* text);

/// A function of elements of what has dims, or of that and another array or number: lazy.
nb::object over_dims(Array (*function)(const Array&), nb::handle x);
nb::object over_dims(Array (*function)(pv::WeakOperand, pv::WeakOperand), nb::handle x,
                     nb::handle y);

} // namespace purview_python
