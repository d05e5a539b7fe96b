#include "engine/explain/describe_view.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

/// Layers written out; more are counted.
constexpr int kLayersShown = 3;

/// What the map of an axis does to its coordinates.
std::string describe_map(const AxisMap& map, index_t extent) {
    std::string text;
    if (map.period != 0) {
        const bool forward = map.step == 1;
        if (forward && map.period == extent)
            text = fmt::format(" rotated by {}", (map.period - map.phase) % map.period);
        else
            text = fmt::format(" repeated after {}", map.period);
        if (!forward) text += fmt::format(", in steps of {}", map.step);
        if (map.phase != 0 && !(forward && map.period == extent))
            text += fmt::format(", from {}", map.phase);
    }
    if (map.table != nullptr) text += fmt::format(" through a list of {}", map.table->size());
    return text;
}

std::string describe_layer(const LayerView& layer) {
    std::string text = fmt::format("strides {}", to_string(layer.strides));
    if (layer.base != 0) text += fmt::format(", from {}", layer.base);
    for (int axis = 0; axis < layer.rank(); ++axis)
        if (!layer.is_plain(axis))
            text += fmt::format(", axis {}{}", axis,
                                describe_map(layer.maps[static_cast<std::size_t>(axis)],
                                             layer.extents[static_cast<std::size_t>(axis)]));
    return text;
}

} // namespace

std::string describe_view(const Dimensions& dims) {
    std::string text = describe_layer(dims.layer(0));
    const int layers = dims.layer_count();
    for (int index = 1; index < std::min(layers, kLayersShown); ++index) {
        const LayerView layer = dims.layer(index);
        text += fmt::format("; of {}, {}", to_string(layer.extents), describe_layer(layer));
    }
    if (layers > kLayersShown) text += fmt::format("; and {} layers more", layers - kLayersShown);
    return text;
}

} // namespace purview::engine
