#pragma once

#include "layer.hpp"

#include <optional>

namespace purview::dimensions {

/// The one layer that does what `view` over `source` do, where there is one. Every address of
/// `view` is an index of `source`, and neither is empty.
std::optional<Layer> fold(const LayerView& view, const LayerView& source);

/// The layer with the fewest axes that yields the same addresses in the same order. Not empty.
Layer merge_axes(const LayerView& layer);

} // namespace purview::dimensions
