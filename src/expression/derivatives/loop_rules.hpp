#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/expression/loop.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::derivatives {

/// Derivatives of loops and choices, as loops and choices. `depends` says of which operands they are. What is
/// not asked for, or is 0, is nothing.
using DependsOn = FunctionRef<bool(const Node&)>;

/// Backwards: by each operand, of its shape behind the leading axes, of those by each result. Of a loop that
/// keeps every k-th state, the k - 1 behind each are computed again.
Derivatives reverse(const Loop& loop, const Derivatives& by_results, std::size_t lead,
                    DependsOn depends);
Derivatives reverse(const Choice& choice, const Derivatives& by_results, std::size_t lead,
                    DependsOn depends);

/// Forwards: of each result, of its shape behind the leading axes, along tangents of the operands. `leading`
/// are these axes.
Derivatives forward(const Loop& loop, const Derivatives& tangents, ShapeSpan leading);
Derivatives forward(const Choice& choice, const Derivatives& tangents, ShapeSpan leading);

/// The functions that a loop or a choice calls; an opaque stage calls none that is known.
std::vector<const TracedOutputs*> functions_of(const Node& source);

} // namespace purview::derivatives
