#include <purview/base/checked.hpp>
#include <purview/dimensions/squeeze.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

template <typename Drops>
Dimensions drop_axes(const Dimensions& dims, const Drops& drops) {
    if (Layer::is_inline(dims)) {
        Dimensions result = Layer::make_inline(0, dims.base());
        int out = 0;
        for (int a = 0; a < dims.rank(); ++a) {
            if (drops(a)) continue;
            Layer::extents_of(result)[out] = Layer::extents_of(dims)[a];
            Layer::strides_of(result)[out] = Layer::strides_of(dims)[a];
            ++out;
        }
        Layer::rank_of(result) = out;
        return result;
    }
    Layer layer(dims);
    for (int a = dims.rank(); a-- > 0;)
        if (drops(a)) layer.fix(a, 0);
    return std::move(layer).finish_like(dims, "squeeze");
}

} // namespace

Dimensions squeeze(const Dimensions& dims) {
    const ShapeSpan extents = dims.max_shape();
    return drop_axes(dims, [&](int a) { return extents[static_cast<std::size_t>(a)] == 1; });
}

Dimensions squeeze(const Dimensions& dims, ShapeSpan axes) {
    const auto named = checked_axes(axes, dims.rank(), "squeeze");
    for (const int a : named)
        if (dims.max_shape()[static_cast<std::size_t>(a)] != 1)
            throw ShapeError(fmt::format("squeeze: axis {} has size {}, not 1", a,
                                         dims.max_shape()[static_cast<std::size_t>(a)]));
    return drop_axes(
        dims, [&](int a) { return std::find(named.begin(), named.end(), a) != named.end(); });
}

Dimensions new_axis(const Dimensions& dims, index_t axis) {
    const int a = checked_axis(axis, dims.rank() + 1, "new_axis");
    Layer layer(dims);
    layer.insert(a, 1, 0);
    return std::move(layer).finish_like(dims, "new_axis");
}

} // namespace purview::dimensions
