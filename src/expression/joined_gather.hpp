#pragma once

#include <purview/expression/gather.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// What does not change along the axes that are read at indexes, seen along the axes of the result,
/// which has this shape; nothing where it changes, or is no strided view.
std::optional<Dimensions> seen_without_indexes(const GatherAxes& axes, ShapeSpan shape,
                                               const Dimensions& view);

/// Replaces the source, a gather, by its own source, where its indexes do not change along the axes
/// that the outer gather, of this shape, reads at indexes: `take(take(x, i, 0), j, 1)` reads x at
/// both. `operands` and `axes` are those of the outer gather.
bool join_with_source(Gather::Operands& operands, GatherAxes& axes, ShapeSpan shape);

} // namespace purview
