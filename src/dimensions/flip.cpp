#include <purview/dimensions/flip.hpp>

#include "layer.hpp"

#include <boost/container/small_vector.hpp>

#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

template <typename Axes>
Dimensions flip_axes(const Dimensions& dims, const Axes& axes) {
    const ShapeSpan extents = dims.max_shape();
    if (Layer::is_inline(dims)) {
        Dimensions result = dims;
        for (const int a : axes) {
            const index_t last = extents[static_cast<std::size_t>(a)] - 1;
            if (last <= 0) continue;
            index_t& stride = Layer::strides_of(result)[a];
            Layer::base_of(result) += stride * last;
            stride = -stride;
        }
        return result;
    }
    Layer layer(dims);
    for (const int a : axes) {
        const index_t extent = extents[static_cast<std::size_t>(a)];
        if (extent > 1) layer.restride(a, extent - 1, -1, extent);
    }
    return std::move(layer).finish_like(dims, "flip");
}

} // namespace

Dimensions flip(const Dimensions& dims, ShapeSpan axes) {
    return flip_axes(dims, checked_axes(axes, dims.rank(), "flip"));
}

Dimensions flip(const Dimensions& dims) {
    boost::container::small_vector<int, kInlineRank> axes;
    for (int a = 0; a < dims.rank(); ++a) axes.push_back(a);
    return flip_axes(dims, axes);
}

} // namespace purview::dimensions
