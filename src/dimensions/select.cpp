#include <purview/base/checked.hpp>
#include <purview/dimensions/select.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

struct AxisCounts {
    int consumed = 0; // axes of `dims` that the arguments index
};

AxisCounts count_arguments(std::span<const IndexArgument> arguments, int rank) {
    AxisCounts counts;
    int ellipses = 0;
    for (const IndexArgument& argument : arguments) {
        switch (argument.index()) {
        case 0:
        case 1:
        case 2:
        case 3: ++counts.consumed; break;
        case 4: break;
        default: ++ellipses; break;
        }
    }
    if (ellipses > 1)
        throw IndexError(fmt::format("select: {} ellipses, at most one can be resolved", ellipses));
    if (counts.consumed > rank)
        throw IndexError(
            fmt::format("select: too many indexes: {} for rank {}", counts.consumed, rank));
    return counts;
}

// The list with negative entries resolved; the list itself if there are none.
IndexSequencePtr checked_list(const IndexSequencePtr& list, index_t size, int axis) {
    if (list == nullptr)
        throw IndexError(fmt::format("select: the index list for axis {} is null", axis));
    if (list->size() == 0) return list;
    checked_index(list->min(), size, axis, "select");
    checked_index(list->max(), size, axis, "select");
    if (list->min() >= 0) return list;
    std::vector<index_t> indexes(static_cast<std::size_t>(list->size()));
    list->read(0, indexes);
    for (index_t& index : indexes)
        if (index < 0) index += size;
    return make_index_sequence(std::move(indexes));
}

Dimensions select_layer(const Dimensions& dims, std::span<const IndexArgument> arguments,
                        const AxisCounts& counts) {
    Layer layer(dims);
    int axis = 0; // of dims, for messages
    int out = 0;  // of the layer being edited
    for (const IndexArgument& argument : arguments) {
        const auto extent = [&] { return layer.extents[static_cast<std::size_t>(out)]; };
        if (const index_t* index = std::get_if<index_t>(&argument)) {
            layer.fix(out, checked_index(*index, extent(), axis++, "select"));
        } else if (const Range* range = std::get_if<Range>(&argument)) {
            const Range::Resolved r = range->resolve(extent());
            layer.restride(out++, r.first, r.step, r.count);
            ++axis;
        } else if (const auto* list = std::get_if<IndexSequencePtr>(&argument)) {
            layer.pick(out, checked_list(*list, extent(), axis));
            ++out;
            ++axis;
        } else if (std::holds_alternative<NewAxis>(argument)) {
            layer.insert(out++, 1, 0);
        } else {
            const int kept =
                std::holds_alternative<Ellipsis>(argument) ? dims.rank() - counts.consumed : 1;
            out += kept;
            axis += kept;
        }
    }
    return std::move(layer).finish_like(dims, "select");
}

} // namespace

Dimensions select(const Dimensions& dims, std::span<const IndexArgument> arguments) {
    const AxisCounts counts = count_arguments(arguments, dims.rank());
    return select_layer(dims, arguments, counts);
}

Dimensions select(const Dimensions& dims, index_t axis, index_t index) {
    const int a = checked_axis(axis, dims.rank(), "select");
    const index_t g =
        checked_index(index, dims.max_shape()[static_cast<std::size_t>(a)], a, "select");
    if (!Layer::is_inline(dims)) {
        Layer layer(dims);
        layer.fix(a, g);
        return std::move(layer).finish_like(dims, "select");
    }
    const index_t* extents = Layer::extents_of(dims);
    const index_t* strides = Layer::strides_of(dims);
    const auto write = [&](std::size_t out, index_t& extent, index_t& stride) {
        const std::size_t in = out < static_cast<std::size_t>(a) ? out : out + 1;
        extent = extents[in];
        stride = strides[in];
    };
    return Layer::make_inline(dims.rank() - 1, dims.base() + strides[a] * g, write);
}

Dimensions select(const Dimensions& dims, index_t axis, const Range& range) {
    const int a = checked_axis(axis, dims.rank(), "select");
    const Range::Resolved r = range.resolve(dims.max_shape()[static_cast<std::size_t>(a)]);
    if (!Layer::is_inline(dims)) {
        Layer layer(dims);
        layer.restride(a, r.first, r.step, r.count);
        return std::move(layer).finish_like(dims, "select");
    }
    const index_t* extents = Layer::extents_of(dims);
    const index_t* strides = Layer::strides_of(dims);
    const auto write = [&](std::size_t at, index_t& extent, index_t& stride) {
        const bool is_cut = at == static_cast<std::size_t>(a);
        extent = is_cut ? r.count : extents[at];
        stride = is_cut && r.count > 1 ? strides[at] * r.step : strides[at];
    };
    return Layer::make_inline(dims.rank(), dims.base() + (r.count > 0 ? strides[a] * r.first : 0),
                              write);
}

Dimensions select(const Dimensions& dims, index_t axis, const IndexSequencePtr& indexes) {
    const int a = checked_axis(axis, dims.rank(), "select");
    Layer layer(dims);
    layer.pick(a, checked_list(indexes, layer.extents[static_cast<std::size_t>(a)], a));
    return std::move(layer).finish_like(dims, "select");
}

} // namespace purview::dimensions
