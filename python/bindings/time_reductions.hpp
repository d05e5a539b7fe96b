#pragma once

#include "array.hpp"

#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>

#include <optional>
#include <utility>

namespace purview_python {

/// `pv::scanned`, also of the extremes of times and the sums of durations: NaT from the first NaT on, unless it is skipped.
pv::Operand scanned_lanes(const char* what, pv::Reduction reduction, const pv::AxisParts& parts,
                          pv::NanRule nan);
/// Two arrays, of which times of one kind are in the finer unit of the two. Integers beside durations, and NumPy's durations without a unit, are counts in theirs.
std::pair<Array, Array> comparable_arrays(nb::handle x, nb::handle y);

} // namespace purview_python
