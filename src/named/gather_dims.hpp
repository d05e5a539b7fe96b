#pragma once

#include <purview/expression/gather.hpp>
#include <purview/named/dim_operand.hpp>

#include <span>

namespace purview::named {

/// An index of a gather over dims. Its positional axes are some of the result's, to the right of which
/// there are `behind` others; to the left it broadcasts.
struct PlacedIndex {
    const DimOperand* index;
    int behind = 0;
};

/// The elements of `x` at indexes, over `dims`, which all have sizes and are those of x and of the indexes.
/// `axes`, which is moved from, says of each positional axis of x which positional axis of the result, or which index, it is read at. Lazy.
/// Nothing is deferred. Throws as `gather_operand` does.
DimOperand gather_over_dims(const char* what, const DimOperand& x, DimVector dims,
                            std::span<GatherAxis> axes, std::span<const PlacedIndex> indexes,
                            ShapeSpan positional);

} // namespace purview::named
