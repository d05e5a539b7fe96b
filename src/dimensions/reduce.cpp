#include <purview/dimensions/reduce.hpp>

#include "fold.hpp"

#include <optional>
#include <utility>

namespace purview::inline v0_1::dimensions {

Dimensions reduce(const Dimensions& dims) {
    if (dims.size() == 0) {
        Layer empty;
        empty.append(0, 1);
        return std::move(empty).finish(nullptr, "reduce");
    }
    Layer outer = merge_axes(dims.layer(0));
    const Dimensions* inner = Layer::inner_of(dims);
    if (inner == nullptr) return std::move(outer).finish(nullptr, "reduce");

    const Dimensions below = reduce(*inner);
    const Dimensions above = std::move(outer).finish(nullptr, "reduce");
    if (below.is_identity()) return above;
    const LayerView lower = below.layer(0);
    std::optional<Layer> folded = fold(above.layer(0), lower);
    if (!folded) {
        const Dimensions split =
            split_axes(above.layer(0), lower.extents).finish(nullptr, "reduce");
        if (split.rank() > above.rank()) folded = fold(split.layer(0), lower);
    }
    if (folded) {
        const Dimensions joined = std::move(*folded).finish_like(below, "reduce");
        return merge_axes(joined.layer(0)).finish_like(joined, "reduce");
    }
    return Layer(above).finish(&below, "reduce");
}

} // namespace purview::dimensions
