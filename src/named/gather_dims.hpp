#pragma once

#include <purview/expression/gather.hpp>
#include <purview/named/dim_operand.hpp>

#include <span>

namespace purview::inline v0_1::named {

/// An index of a gather over dims. Its positional axes correspond to axes of the result that are
/// followed by `behind` other positional axes; before them it broadcasts.
struct PlacedIndex {
    const DimOperand* index;
    int behind = 0;
};

/// The elements of `x` at indexes, over `dims`, which are those of x and of the indexes and all
/// have sizes. `axes`, which is moved from, has an entry for each positional axis of x: the
/// positional axis of the result, or the index, at which it is read. Lazy. No operand may be
/// deferred. Throws as `gather_operand` does.
DimOperand gather_over_dims(const char* what, const DimOperand& x, DimVector dims,
                            std::span<GatherAxis> axes, std::span<const PlacedIndex> indexes,
                            ShapeSpan positional);

} // namespace purview::named
