#pragma once

#include "array.hpp"

#include <purview/base/index.hpp>

#include <span>

namespace purview_python {

/// What a function makes of the elements [begins[i], ends[i]) of memory of rank 1, behind other results; and these as an array. With
/// the interpreter's lock held.
void append_results(nb::handle function, const pv::Operand& values,
                    std::span<const pv::index_t> begins, std::span<const pv::index_t> ends,
                    nb::list& results);
Array array_of_results(const char* what, const nb::list& results);
void bind_windows(nb::module_& module);

} // namespace purview_python
