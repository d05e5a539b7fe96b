#pragma once

#include <purview/functional/elementwise/element_view.hpp>

namespace purview::inline v0_1 {

/// int64 counts as those of type `counted`, cast by `by`; NaT becomes that of the type.
Operand counts_cast_back(const Operand& counts, DType counted, Op by);

} // namespace purview
