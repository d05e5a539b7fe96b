#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1 {

/// `results_like` for results of what may be larger than memory: those beyond the memory limit are an array of chunks in
/// a temporary file, which goes with its last owner. Zeros where nothing is assigned. Throws as `TemporaryFile` does.
Operand large_results(const char* what, const Operand& source, DType dtype, ShapeSpan shape);

} // namespace purview
