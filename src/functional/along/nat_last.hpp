#pragma once

#include <purview/evaluation/sorting.hpp>
#include <purview/expression/node.hpp>

#include "functional/elementwise/operations_in.hpp"

namespace purview::inline v0_1 {

/// Whether times of this type, sorted as their counts, have NaT in the wrong place: it is the lowest count.
inline bool has_nat_first(DType times, DType counted, SortOrder order) {
    return times != counted && order != SortOrder::descending && counted.is_integer();
}

/// Counts such that the one of NaT is the greatest, and the order of the others stays; and back.
inline Operand with_nat_last(const Operand& counts) {
    return OperationsIn(counts.dtype()).binary(Op::subtract, counts, 1);
}
inline Operand from_nat_last(const Operand& counts) {
    return OperationsIn(counts.dtype()).binary(Op::add, counts, 1);
}

} // namespace purview
