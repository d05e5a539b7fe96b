#pragma once

#include <purview/functional/elementwise/element_view.hpp>

namespace purview::inline v0_1 {

/// Times as numbers in ascending order, NaT last: their counts less one, so that the lowest wraps to the greatest. Lazy. Other
/// operands, and counts that are no signed integers, as they are.
Operand ordered_counts(const Operand& x);
/// The counts again, lazy, where `times` are of a type that `ordered_counts` changes.
Operand counts_in_order(const Operand& ordered, DType times);

} // namespace purview
