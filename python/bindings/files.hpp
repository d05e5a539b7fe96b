#pragma once

#include "array.hpp"

#include <purview/io/access.hpp>

#include <string>

namespace purview_python {

/// A way of access by its name. Throws `ValueError` naming `what`.
pv::Access access_named(const char* what, const std::string& name);
void bind_files(nb::module_& module);

} // namespace purview_python
