#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>

#include "base/axis_order.hpp"
#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

Shape resolve(ShapeSpan shape, const Dimensions& dims) {
    Shape resolved = to_shape(shape);
    const auto inferred = std::find(resolved.begin(), resolved.end(), -1);
    const index_t size = dims.size();
    bool matches = true;
    if (inferred != resolved.end()) {
        if (std::find(inferred + 1, resolved.end(), -1) != resolved.end())
            throw ShapeError(fmt::format("reshape: shape {} has more than one extent to infer",
                                         to_string(shape)));
        *inferred = 1;
        const index_t others = checked_size(resolved, "reshape");
        matches = others != 0 && size % others == 0;
        if (matches) *inferred = size / others;
    }
    if (!matches || checked_size(resolved, "reshape") != size)
        throw ShapeError(fmt::format("reshape: shape {} of {} elements cannot become shape {}",
                                     to_string(dims.max_shape()), size, to_string(shape)));
    return resolved;
}

// Appends to `to` axes of extents `shape` in place of the axes [first, last) of `from`, which have
// the same number of elements and no axis of size 1.
bool split_or_merge(const Layer& from, int first, int last, ShapeSpan shape, Layer& to) {
    if (last - first == 1 && shape.size() == 1) {
        to.append(shape[0], from.strides[static_cast<std::size_t>(first)], from.map(first));
        return true;
    }
    for (int a = first; a < last; ++a) {
        if (!from.is_plain(a)) return false;
        const auto i = static_cast<std::size_t>(a);
        if (a + 1 < last && !is_one_axis(from.strides[i], from.strides[i + 1], from.extents[i + 1]))
            return false;
    }
    const int begin = to.rank();
    index_t stride = from.strides[static_cast<std::size_t>(last - 1)];
    for (std::size_t a = shape.size(); a-- > 0;) {
        to.insert(begin, shape[a], stride);
        if (a > 0) stride *= shape[a];
    }
    return true;
}

std::optional<Layer> refold(Layer from, ShapeSpan shape) {
    for (int a = from.rank(); a-- > 0;)
        if (from.extents[static_cast<std::size_t>(a)] == 1) from.fix(a, 0);
    Layer to;
    to.base = from.base;
    const auto skip_ones = [&](std::size_t j) {
        while (j < shape.size() && shape[j] == 1) ++j;
        return j;
    };
    Shape group;
    std::size_t j = skip_ones(0);
    for (int first = 0; first < from.rank();) {
        // The smallest group of old axes with the same number of elements as a group of new axes.
        int last = first + 1;
        index_t old_count = from.extents[static_cast<std::size_t>(first)];
        index_t new_count = shape[j];
        group.assign(1, shape[j]);
        j = skip_ones(j + 1);
        while (old_count != new_count) {
            if (old_count < new_count) {
                old_count *= from.extents[static_cast<std::size_t>(last++)];
            } else {
                group.push_back(shape[j]);
                new_count *= shape[j];
                j = skip_ones(j + 1);
            }
        }
        if (!split_or_merge(from, first, last, group, to)) return std::nullopt;
        first = last;
    }
    for (std::size_t a = 0; a < shape.size(); ++a)
        if (shape[a] == 1) to.insert(static_cast<int>(a), 1, 0);
    return to;
}

} // namespace

Dimensions reshape(const Dimensions& dims, ShapeSpan shape) {
    const Shape resolved = resolve(shape, dims);
    if (std::ranges::equal(resolved, dims.max_shape())) return dims;
    if (dims.size() == 0) return Dimensions::row_major(resolved);
    if (dims.is_contiguous()) {
        Layer layer = Layer::identity(resolved);
        layer.base = dims.base();
        return std::move(layer).finish(nullptr, "reshape");
    }
    if (const Dimensions* const inner = Layer::inner_of(dims)) {
        // An outer layer that only gives the inner ones another shape is left out.
        const Dimensions outer = Layer(dims).finish(nullptr, "reshape");
        if (outer.is_identity() && outer.size() == inner->size()) return reshape(*inner, resolved);
    }
    if (std::optional<Layer> layer = refold(Layer(dims), resolved))
        return std::move(*layer).finish_like(dims, "reshape");
    return Layer::identity(resolved).finish(&dims, "reshape");
}

} // namespace purview::dimensions
