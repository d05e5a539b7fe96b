#include <purview/base/checked.hpp>
#include <purview/dimensions/transpose.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

// Precondition: `axes` is a permutation of [0, rank).
template <typename Axes>
Dimensions reorder(const Dimensions& dims, const Axes& axes) {
    const int rank = dims.rank();
    if (Layer::is_inline(dims)) {
        const auto write = [&](std::size_t a, index_t& extent, index_t& stride) {
            extent = Layer::extents_of(dims)[axes[a]];
            stride = Layer::strides_of(dims)[axes[a]];
        };
        return Layer::make_inline(rank, dims.base(), write);
    }
    const Layer layer(dims);
    Layer result;
    result.base = layer.base;
    for (int a = 0; a < rank; ++a) {
        const int from = axes[static_cast<std::size_t>(a)];
        result.append(layer.extents[static_cast<std::size_t>(from)],
                      layer.strides[static_cast<std::size_t>(from)], layer.map(from));
    }
    return std::move(result).finish_like(dims, "transpose");
}

} // namespace

Dimensions transpose(const Dimensions& dims, ShapeSpan permutation) {
    const int rank = dims.rank();
    if (permutation.size() != static_cast<std::size_t>(rank))
        throw ShapeError(fmt::format("transpose: {} axes in {} for rank {}", permutation.size(),
                                     to_string(permutation), rank));
    int axes[kMaxRank];
    std::uint64_t seen = 0;
    for (int a = 0; a < rank; ++a) {
        const int axis = checked_axis(permutation[static_cast<std::size_t>(a)], rank, "transpose");
        const std::uint64_t bit = std::uint64_t{1} << axis;
        if ((seen & bit) != 0)
            throw IndexError(fmt::format("transpose: axis {} is named twice in {}", axis,
                                         to_string(permutation)));
        seen |= bit;
        axes[a] = axis;
    }
    return reorder(dims, axes);
}

Dimensions swap_axes(const Dimensions& dims, index_t axis0, index_t axis1) {
    const int first = checked_axis(axis0, dims.rank(), "swap_axes");
    const int second = checked_axis(axis1, dims.rank(), "swap_axes");
    int axes[kMaxRank];
    for (int a = 0; a < dims.rank(); ++a) axes[a] = a;
    std::swap(axes[first], axes[second]);
    return reorder(dims, axes);
}

Dimensions move_axis(const Dimensions& dims, index_t from, index_t to) {
    const int source = checked_axis(from, dims.rank(), "move_axis");
    const int target = checked_axis(to, dims.rank(), "move_axis");
    int axes[kMaxRank];
    for (int a = 0; a < dims.rank(); ++a) axes[a] = a;
    for (int a = source; a < target; ++a) axes[a] = a + 1;
    for (int a = source; a > target; --a) axes[a] = a - 1;
    axes[target] = source;
    return reorder(dims, axes);
}

} // namespace purview::dimensions
