#pragma once

#include "array.hpp"

#include <purview/table/columns.hpp>

#include <string>

namespace purview_python {

/// The values of a column; times are those that NumPy has: without a zone, too.
Array values_of(const pv::Column& column);
/// An array as a column: NaT is missing, and time points have no zone. Computes what times of rank 1 are.
pv::Column column_of_array(std::string name, const Array& x);
/// Whether any is true.
bool has_true(const pv::Tensor<bool>& mask);

} // namespace purview_python
