#pragma once

#include "array.hpp"

namespace purview_python {

/// `pv::any_binary`, and of times what NumPy has: sums, differences, multiples, comparisons, extremes, in the finer of two units.
Array binary_of(pv::Op op, pv::WeakOperand x, pv::WeakOperand y);
/// -x, of durations too.
Array negated(const Array& x);

} // namespace purview_python
