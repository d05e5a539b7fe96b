#pragma once

#include "array.hpp"

namespace purview_python {

void bind_fft(nb::module_& module);

} // namespace purview_python
