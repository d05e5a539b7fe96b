#pragma once

#include <purview/evaluation/scatter.hpp>

namespace purview::inline v0_1::engine {

/// Throws as `scatter` does before it computes anything.
void check_scatter(const char* what, ScatterKind how, const Operand& destination);

/// What `scatter` does, after that, where no other backend does it.
void scatter_on_cpu(const char* what, ScatterKind how, const Operand& source,
                    const Operand& destination);

} // namespace purview::engine
