#pragma once

#include <purview/evaluation/destination.hpp>

namespace purview::inline v0_1 {

/// `exp(x - max) / sum(exp(x - max))` in each of `groups` equal parts of the global order, of
/// float32 or float64, to elements of the same type, in the global order. A part with a NaN or with
/// an infinite maximum gives NaN.
PURVIEW_EXPORT void softmax_elements(const Operand& source, index_t groups, const Destination& out);

} // namespace purview
