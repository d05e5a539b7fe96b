#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/expression/elementwise.hpp>

namespace purview::engine {

/// Applies an operation to `count` elements, the first of which has the global index `begin` (for
/// error messages). Operands and result are blocks of constructed, aligned elements.
using Kernel = void (*)(index_t begin, index_t count, void* out, const void* const* operands);

/// The kernel of `op` for operands of type `operand` and results of type `result`. Throws
/// `DtypeError` when there is none.
Kernel kernel_for(Op op, DType operand, DType result);

} // namespace purview::engine
