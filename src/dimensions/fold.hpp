#pragma once

#include "layer.hpp"

#include <optional>

namespace purview::inline v0_1::dimensions {

/// The single layer that is equivalent to `view` over `source`, if there is one. Every address of
/// `view` is an index of `source`, and neither is empty.
std::optional<Layer> fold(const LayerView& view, const LayerView& source);

/// The layer with the fewest axes that yields the same addresses in the same order. `layer` must
/// not be empty.
Layer merge_axes(const LayerView& layer);

/// An equivalent layer with plain axes split where a part of an axis runs through whole axes of a
/// source: `{24}` over `{6, 4}` becomes `{6, 4}`.
Layer split_axes(const LayerView& view, ShapeSpan source_extents);

} // namespace purview::dimensions
