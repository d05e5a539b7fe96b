#pragma once

#include <purview/expression/node.hpp>

#include "evaluation/exact_accumulator.hpp"

namespace purview::inline v0_1 {

/// The exact sums of each of `groups` equal parts of the global order, of float32 or float64, in
/// memory. In blocks, on several threads; arrays of chunks cell by cell. Throws `KindError` for what
/// is sparse.
PURVIEW_EXPORT void accumulate_exactly(const Operand& source, index_t groups,
                                       ExactAccumulator* out);
/// These sums rounded once, to elements of the source's type.
PURVIEW_EXPORT void exact_sums(const Operand& source, index_t groups, void* out);

} // namespace purview
