#include <purview/base/checked.hpp>
#include <purview/dimensions/sliding_window.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::dimensions {

Dimensions sliding_window(const Dimensions& dims, index_t axis, index_t window, index_t step) {
    const int a = checked_axis(axis, dims.rank(), "sliding_window");
    const index_t extent = dims.max_shape()[static_cast<std::size_t>(a)];
    if (window < 1 || window > extent)
        throw ShapeError(fmt::format("sliding_window: window {} does not fit axis {} of size {}",
                                     window, a, extent));
    if (step < 1) throw ShapeError(fmt::format("sliding_window: step {} is not positive", step));

    const LayerView outer = dims.layer(0);
    if (!outer.is_plain(a) && window > 1)
        return sliding_window(push_identity(dims, "sliding_window"), axis, window, step);

    Layer layer(outer);
    const index_t stride = layer.strides[static_cast<std::size_t>(a)];
    const index_t count = (extent - window) / step + 1;
    layer.restride(a, 0, step, count);
    layer.append(window, stride);
    return std::move(layer).finish_like(dims, "sliding_window");
}

} // namespace purview::dimensions
