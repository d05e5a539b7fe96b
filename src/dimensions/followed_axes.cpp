#include "dimensions/followed_axes.hpp"

#include "dimensions/layer.hpp"

#include <cstdlib>

namespace purview::inline v0_1::dimensions {
namespace {

/// Lists are followed entry by entry, rotations turn by turn: longer ones are not.
constexpr double kMostTurns = 1 << 22;

double turns_of(const AxisMap& map, index_t extent) {
    const auto count = static_cast<double>(extent);
    if (map.table != nullptr) return count;
    return count * static_cast<double>(std::abs(map.step)) / static_cast<double>(map.period);
}

/// The axis of the array that an axis of a view follows by this stride for `steps` steps; kNone if
/// there is none. The outermost of those that are long enough.
int axis_of_stride(index_t stride, index_t steps, ShapeSpan array, ShapeSpan strides) {
    for (std::size_t k = 0; k < array.size(); ++k)
        if (array[k] > 1 && stride % strides[k] == 0 &&
            std::abs(stride / strides[k]) <= (array[k] - 1) / steps)
            return static_cast<int>(k);
    return FollowedAxis::kNone;
}

} // namespace

std::optional<FollowedAxes> followed_axes(const Dimensions& view, ShapeSpan array) {
    if (view.layer_count() > 1 || view.size() == 0) return std::nullopt;
    const LayerView layer = view.layer(0);
    Shape strides(array.size(), 1);
    for (std::size_t k = array.size(); k-- > 1;) strides[k - 1] = strides[k] * array[k];

    FollowedAxes followed;
    index_t lowest = layer.base;   // address
    Shape reach(array.size(), 0);  // how far the view goes from there, along each axis
    Shape before(array.size(), 0); // of the lowest coordinate: what the axes of the view give
    std::vector<int> followers(array.size(), 0);
    for (int r = 0; r < layer.rank(); ++r) {
        const auto a = static_cast<std::size_t>(r);
        FollowedAxis& axis = followed.axes.emplace_back();
        if (!layer.is_plain(r)) axis.map = layer.maps[a];
        if (!axis.is_plain() && turns_of(axis.map, layer.extents[a]) > kMostTurns)
            return std::nullopt;
        const auto [low, high] = axis.is_plain()
                                     ? dimensions::CoordinateBounds{0, layer.extents[a] - 1}
                                     : dimensions::coordinate_bounds(layer, r);
        const index_t stride = layer.strides[a];
        lowest += stride * (stride > 0 ? low : high);
        if (stride == 0 || low == high) {
            axis.map = {}; // its only place is in the lowest address
            continue;
        }
        axis.axis = axis_of_stride(stride, high - low, array, strides);
        if (axis.axis == FollowedAxis::kNone) return std::nullopt;
        const auto k = static_cast<std::size_t>(axis.axis);
        axis.step = stride / strides[k];
        reach[k] += std::abs(axis.step) * (high - low);
        if (reach[k] >= array[k]) return std::nullopt;
        before[k] += axis.step * (axis.step > 0 ? low : high);
        ++followers[k];
    }
    if (lowest < 0) return std::nullopt;
    for (std::size_t k = 0; k < array.size(); ++k) {
        const index_t at = lowest / strides[k] % array[k];
        if (at + reach[k] >= array[k]) return std::nullopt;
        followed.begin.push_back(at - before[k]);
    }
    for (const FollowedAxis& axis : followed.axes)
        if (!axis.is_plain() && followers[static_cast<std::size_t>(axis.axis)] > 1)
            return std::nullopt;
    return followed;
}

} // namespace purview::dimensions
