#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>

#include "fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace purview::inline v0_1::dimensions {

Dimensions compose(const Dimensions& view, const Dimensions& source) {
    if (view.is_identity() && std::ranges::equal(view.max_shape(), source.max_shape()) &&
        view.size() > 0)
        return source;
    const AddressRange range = view.address_range();
    if (range.empty) {
        Layer empty;
        for (const index_t extent : view.max_shape()) empty.append(extent, 0);
        return std::move(empty).finish(nullptr, "compose");
    }
    const index_t size = source.size();
    if (range.lowest < 0 || range.highest >= size)
        throw ShapeError(
            fmt::format("compose: the view reads indexes {} to {} of a source of {} elements",
                        range.lowest, range.highest, size));
    if (source.is_identity()) return view;

    if (const Dimensions* inner = Layer::inner_of(view)) {
        const Dimensions below = compose(*inner, source);
        return Layer(view).finish(&below, "compose");
    }
    const LayerView outer = source.layer(0);
    if (std::optional<Layer> folded = fold(view.layer(0), outer))
        return std::move(*folded).finish_like(source, "compose");
    // An axis of the view may run through several axes of the source that can be walked as one.
    Layer merged = merge_axes(outer);
    if (merged.rank() < outer.rank()) {
        const Dimensions fewer = std::move(merged).finish(nullptr, "compose");
        if (std::optional<Layer> folded = fold(view.layer(0), fewer.layer(0)))
            return std::move(*folded).finish_like(source, "compose");
    }
    return Layer(view).finish(&source, "compose");
}

} // namespace purview::dimensions
