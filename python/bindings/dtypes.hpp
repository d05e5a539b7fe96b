#pragma once

#include "array.hpp"

#include <string_view>

namespace purview_python {

/// The element type that a Python object names: one of ours, a string, a Python type, NumPy's.
pv::DType dtype_of(nb::handle object);
/// The element type of a name, NumPy's. Throws `DtypeError`.
pv::DType dtype_named(std::string_view name);
void bind_dtypes(nb::module_& module);

} // namespace purview_python
