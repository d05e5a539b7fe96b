#pragma once

#include <purview/named/index_dims.hpp>

#include <span>

namespace purview::inline v0_1::named {

/// Indexing with a mask over dims: see `index_with_dims`.
DimOperand index_by_mask(const DimOperand& x, std::span<const DimIndex> indexes, const char* what);

} // namespace purview::named
