#include <purview/base/checked.hpp>
#include <purview/dimensions/affine_view.hpp>
#include <purview/dimensions/compose.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::dimensions {
namespace {

void check_source_axis(const Dimensions& source, ShapeSpan shape, std::span<const AxisFeed> feeds,
                       ShapeSpan origin, int axis) {
    const auto s = static_cast<std::size_t>(axis);
    index_t lowest = origin[s];
    index_t highest = origin[s];
    for (const AxisFeed& feed : feeds) {
        if (feed.source != axis) continue;
        const index_t reach = checked_multiply(
            feed.coefficient, shape[static_cast<std::size_t>(feed.axis)] - 1, "affine_view");
        index_t& bound = reach > 0 ? highest : lowest;
        bound = checked_add(bound, reach, "affine_view");
    }
    const index_t extent = source.max_shape()[s];
    if (lowest < 0 || highest >= extent)
        throw ShapeError(fmt::format("affine_view: coordinates {} to {} leave axis {} of size {}",
                                     lowest, highest, axis, extent));
}

} // namespace

Dimensions affine_view(const Dimensions& source, ShapeSpan shape, std::span<const AxisFeed> feeds,
                       ShapeSpan origin) {
    bool empty = false;
    for (const index_t extent : shape) empty = empty || extent == 0;
    Shape strides(shape.size(), 0);
    if (empty) return Dimensions::strided(shape, strides);
    for (int axis = 0; axis < source.rank(); ++axis)
        check_source_axis(source, shape, feeds, origin, axis);

    const bool folds = source.is_strided();
    const Dimensions index_space = folds ? Dimensions() : Dimensions::row_major(source.max_shape());
    const ShapeSpan steps = folds ? source.strides() : index_space.strides();
    index_t base = folds ? source.base() : 0;
    for (std::size_t s = 0; s < origin.size(); ++s) base += origin[s] * steps[s];
    for (const AxisFeed& feed : feeds) {
        const auto axis = static_cast<std::size_t>(feed.axis);
        if (shape[axis] > 1) // the coefficient of an axis of size 1 is never used, and may overflow
            strides[axis] += feed.coefficient * steps[static_cast<std::size_t>(feed.source)];
    }
    Dimensions view = Dimensions::strided(shape, strides, base);
    return folds ? view : compose(view, source);
}

} // namespace purview::dimensions
