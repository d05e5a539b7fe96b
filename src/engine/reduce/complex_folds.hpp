#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1::engine {

/// Reduces each of `groups` equal parts of the global order of complex numbers to one element of
/// `out`: sums and products. In chunks of a fixed length, whose results are joined as a binary tree,
/// so that results depend neither on the machine nor on the number of threads. Throws `DtypeError`
/// for other reductions.
void fold_complex(Reduction reduction, const Operand& source, index_t groups, void* out);

} // namespace purview::engine
