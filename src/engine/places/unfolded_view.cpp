#include "engine/places/unfolded_view.hpp"

#include <purview/dimensions/reduce.hpp>

#include "dimensions/layer.hpp"

namespace purview::inline v0_1::engine {
namespace {

/// Whether the outer one of several layers only reshapes the inner one.
bool only_reshapes(const Dimensions& dims) {
    const LayerView outer = dims.layer(0);
    return outer.rank() == 1 && outer.is_plain(0) && outer.base == 0 && outer.strides[0] == 1 &&
           outer.extents[0] == dims.layer(1).size();
}

/// Whether an axis goes round whole periods, each from its first element on.
bool is_tiled(const AxisMap& map, index_t extent) {
    return map.table == nullptr && map.period > 1 && map.step == 1 && map.phase == 0 &&
           extent % map.period == 0;
}

} // namespace

Dimensions without_reshapes(const Dimensions& dims) {
    Dimensions reduced = dimensions::reduce(dims);
    while (reduced.layer_count() > 1 && only_reshapes(reduced))
        reduced = Dimensions(*dimensions::Layer::inner_of(reduced));
    return reduced;
}

std::optional<Dimensions> strides_in_order(const Dimensions& dims) {
    const Dimensions plain = without_reshapes(dims);
    if (plain.layer_count() > 1) return std::nullopt;
    const LayerView layer = plain.layer(0);
    Shape extents;
    Shape strides;
    for (int axis = 0; axis < layer.rank(); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        index_t extent = layer.extents[a];
        if (!layer.is_plain(axis)) {
            const AxisMap& map = layer.maps[a];
            if (!is_tiled(map, extent)) return std::nullopt;
            if (extent > map.period) {
                extents.push_back(extent / map.period);
                strides.push_back(0);
            }
            extent = map.period;
        }
        extents.push_back(extent);
        strides.push_back(layer.strides[a]);
    }
    if (extents.size() < 2 || extents.size() > static_cast<std::size_t>(kMaxRank))
        return std::nullopt;
    return Dimensions::strided(extents, strides, layer.base);
}

} // namespace purview::engine
