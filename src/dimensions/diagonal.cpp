#include <purview/base/checked.hpp>
#include <purview/dimensions/diagonal.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::dimensions {

Dimensions diagonal(const Dimensions& dims, index_t axis0, index_t axis1, index_t offset) {
    const int first = checked_axis(axis0, dims.rank(), "diagonal");
    const int second = checked_axis(axis1, dims.rank(), "diagonal");
    if (first == second)
        throw IndexError(fmt::format("diagonal: axes {} and {} are the same", axis0, axis1));

    const LayerView outer = dims.layer(0);
    const index_t extent0 = outer.extents[static_cast<std::size_t>(first)];
    const index_t extent1 = outer.extents[static_cast<std::size_t>(second)];
    // Clipped first, so that no offset overflows: beyond either end the diagonal is empty.
    const index_t shift = std::clamp(offset, -extent0, extent1);
    const index_t begin0 = shift < 0 ? -shift : 0;
    const index_t begin1 = shift > 0 ? shift : 0;
    const index_t count = std::max<index_t>(0, std::min(extent0 - begin0, extent1 - begin1));

    const bool constant = count <= 1;
    if (!constant && !(outer.is_plain(first) && outer.is_plain(second)))
        return diagonal(push_identity(dims, "diagonal"), axis0, axis1, offset);

    Layer layer(outer);
    index_t stride = 0;
    if (count > 0) {
        layer.restride(first, begin0, 1, count);
        layer.restride(second, begin1, 1, count);
        if (!constant)
            stride = layer.strides[static_cast<std::size_t>(first)] +
                     layer.strides[static_cast<std::size_t>(second)];
    }
    layer.erase(std::max(first, second));
    layer.erase(std::min(first, second));
    layer.append(count, stride);
    return std::move(layer).finish_like(dims, "diagonal");
}

} // namespace purview::dimensions
