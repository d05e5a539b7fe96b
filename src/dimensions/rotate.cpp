#include <purview/base/errors.hpp>
#include <purview/dimensions/rotate.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::dimensions {

Dimensions rotate(const Dimensions& dims, ShapeSpan amounts) {
    const ShapeSpan extents = dims.max_shape();
    if (amounts.size() != extents.size())
        throw ShapeError(fmt::format("rotate: {} amounts in {} for rank {}", amounts.size(),
                                     to_string(amounts), dims.rank()));
    Layer layer(dims);
    for (std::size_t a = 0; a < extents.size(); ++a) {
        const index_t extent = extents[a];
        if (extent <= 1 || amounts[a] % extent == 0) continue;
        // The element at g moves to g + amount, so the phase decreases.
        const index_t phase = extent - floor_mod(amounts[a], extent);
        if (!layer.repeat(static_cast<int>(a), phase, extent))
            return rotate(push_identity(dims, "rotate"), amounts);
    }
    return std::move(layer).finish_like(dims, "rotate");
}

} // namespace purview::dimensions
