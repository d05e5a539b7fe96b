#include <purview/base/checked.hpp>
#include <purview/dimensions/broadcast.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

[[noreturn]] void throw_shapes(const char* what, ShapeSpan from, ShapeSpan to) {
    throw ShapeError(fmt::format("{}: shapes {} and {} do not broadcast together", what,
                                 to_string(from), to_string(to)));
}

} // namespace

Dimensions broadcast(const Dimensions& dims, ShapeSpan shape) {
    const ShapeSpan old = dims.max_shape();
    checked_size(shape, "broadcast");
    if (shape.size() < old.size())
        throw ShapeError(fmt::format("broadcast: shape {} has fewer axes than {}", to_string(shape),
                                     to_string(old)));
    const std::size_t added = shape.size() - old.size();
    for (std::size_t a = 0; a < old.size(); ++a) {
        const index_t from = old[a];
        const index_t to = shape[added + a];
        if (from != to && from != 1 && (from == 0 || to == 0 || to % from != 0))
            throw ShapeError(fmt::format("broadcast: axis {} of size {} cannot become size {}, "
                                         "which is not a multiple of it",
                                         a, from, to));
    }
    Layer layer(dims);
    bool folded = true;
    for (std::size_t a = 0; a < old.size() && folded; ++a)
        if (old[a] != shape[added + a])
            folded = layer.repeat(static_cast<int>(a), 0, shape[added + a]);
    // In a fresh outer layer every axis is plain, so everything folds.
    if (!folded) return broadcast(push_identity(dims, "broadcast"), shape);
    for (std::size_t a = added; a-- > 0;) layer.insert(0, shape[a], 0);
    return std::move(layer).finish_like(dims, "broadcast");
}

Dimensions expand(const Dimensions& dims, ShapeSpan shape) {
    const ShapeSpan old = dims.max_shape();
    if (shape.size() < old.size()) throw_shapes("expand", old, shape);
    const std::size_t added = shape.size() - old.size();
    for (std::size_t a = 0; a < old.size(); ++a)
        if (old[a] != shape[added + a] && old[a] != 1) throw_shapes("expand", old, shape);
    checked_size(shape, "expand");
    if (Layer::is_inline(dims) && shape.size() <= static_cast<std::size_t>(kInlineRank)) {
        const index_t* const strides = Layer::strides_of(dims);
        const auto write = [&](std::size_t a, index_t& extent, index_t& stride) {
            extent = shape[a];
            stride = a < added || old[a - added] != shape[a] ? 0 : strides[a - added];
        };
        return Layer::make_inline(static_cast<int>(shape.size()), dims.base(), write);
    }
    Layer layer(dims);
    for (std::size_t a = 0; a < old.size(); ++a)
        if (old[a] != shape[added + a]) layer.repeat(static_cast<int>(a), 0, shape[added + a]);
    for (std::size_t a = added; a-- > 0;) layer.insert(0, shape[a], 0);
    return std::move(layer).finish_like(dims, "expand");
}

Dimensions repeated(ShapeSpan shape) {
    if (shape.size() > static_cast<std::size_t>(kInlineRank)) return expand(Dimensions(), shape);
    return Layer::make_inline(static_cast<int>(shape.size()), 0,
                              [&](std::size_t a, index_t& extent, index_t&) { extent = shape[a]; });
}

Shape broadcast_shapes(ShapeSpan a, ShapeSpan b) {
    const bool a_is_longer = a.size() >= b.size();
    Shape result = to_shape(a_is_longer ? a : b);
    if (!broadcast_into(result, a_is_longer ? b : a)) throw_shapes("broadcast_shapes", a, b);
    return result;
}

bool broadcast_into(Shape& shape, ShapeSpan other) noexcept {
    const std::size_t added = shape.size() - other.size();
    for (std::size_t i = 0; i < other.size(); ++i) {
        index_t& extent = shape[added + i];
        if (extent == other[i] || other[i] == 1) continue;
        if (extent != 1) return false;
        extent = other[i];
    }
    return true;
}

} // namespace purview::dimensions
