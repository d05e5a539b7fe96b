#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1::engine {

/// `reduce` of complex numbers: sums and products. Throws `DtypeError` for other reductions.
void reduce_complex(Reduction reduction, const Operand& source, index_t groups, void* out);

} // namespace purview::engine
