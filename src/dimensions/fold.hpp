#pragma once

#include "layer.hpp"

#include <optional>

namespace purview::dimensions {

/// The one layer that does what `view` over `source` do, where there is one. Every address of
/// `view` is an index of `source`, and neither is empty.
std::optional<Layer> fold(const LayerView& view, const LayerView& source);

/// The layer with the fewest axes that yields the same addresses in the same order. Not empty.
Layer merge_axes(const LayerView& layer);

/// The layer that yields the same in the same order, with plain axes split where a part of them runs
/// through whole axes of a source: `{24}` over `{6, 4}` becomes `{6, 4}`.
Layer split_axes(const LayerView& view, ShapeSpan source_extents);

} // namespace purview::dimensions
