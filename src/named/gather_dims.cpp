#include "named/gather_dims.hpp"

#include <purview/dimensions/squeeze.hpp>

#include "named/align.hpp"

#include <boost/container/small_vector.hpp>

#include <utility>

namespace purview::inline v0_1::named {
namespace {

/// The Dimensions of an index over the axes of the result. Axes that the index lacks have size 1,
/// so that it is computed once for all of their coordinates.
Dimensions placed_dims(const PlacedIndex& placed, const DimVector& dims, int rank) {
    const DimOperand& index = *placed.index;
    const Dimensions& own = index.operand.dims;
    const int before = rank - placed.behind - (own.rank() - index.dim_count());
    if (own.is_strided()) {
        Shape shape;
        Shape strides;
        const auto add = [&](index_t at) {
            shape.push_back(at < 0 ? 1 : own.max_shape()[static_cast<std::size_t>(at)]);
            strides.push_back(at < 0 ? 0 : own.strides()[static_cast<std::size_t>(at)]);
        };
        for (const Dim& dim : dims) add(position_of(dim, index.dims));
        for (int i = 0; i < before; ++i) add(-1);
        for (index_t at = index.dim_count(); at < own.rank(); ++at) add(at);
        for (int i = 0; i < placed.behind; ++i) add(-1);
        return Dimensions::strided(shape, strides, own.base());
    }
    Dimensions result = aligned_dims(index, dims, rank - placed.behind);
    for (int i = 0; i < placed.behind; ++i)
        result = dimensions::new_axis(result, static_cast<index_t>(result.rank()));
    return result;
}

std::string names_of(const DimVector& dims) {
    return dims.empty() ? std::string() : to_string(dims);
}

} // namespace

DimOperand gather_over_dims(const char* what, const DimOperand& x, DimVector dims,
                            std::span<GatherAxis> axes, std::span<const PlacedIndex> indexes,
                            ShapeSpan positional) {
    Shape shape;
    shape.reserve(dims.size() + positional.size());
    for (const Dim& dim : dims) shape.push_back(dim.size());
    shape.insert(shape.end(), positional.begin(), positional.end());

    GatherAxes places;
    places.reserve(x.dims.size() + axes.size());
    for (const Dim& dim : x.dims) places.push_back(GatherAxis::along(position_of(dim, dims)));
    for (GatherAxis& axis : axes) {
        GatherAxis& place = places.emplace_back(std::move(axis));
        if (place.computed)
            place.over = names_of(indexes[static_cast<std::size_t>(place.number)].index->dims);
        else
            place.number += std::ssize(dims);
    }

    const int rank = static_cast<int>(positional.size());
    boost::container::small_vector<Operand, 2> spread;
    for (const PlacedIndex& placed : indexes)
        spread.push_back({placed.index->operand.node, placed_dims(placed, dims, rank)});
    Operand gathered =
        gather_operand(what, x.operand, std::move(places), {spread.data(), spread.size()}, shape);
    return {std::move(gathered), std::move(dims)};
}

} // namespace purview::named
