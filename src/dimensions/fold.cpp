#include "fold.hpp"

#include "base/axis_order.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace purview::inline v0_1::dimensions {
namespace {

void coordinates_of(index_t index, ShapeSpan extents, index_t* out) {
    for (std::size_t c = extents.size(); c-- > 0;) {
        if (c == 0 || index < extents[c]) {
            out[c] = index;
            index = 0;
        } else {
            const index_t above = index / extents[c];
            out[c] = index - above * extents[c];
            index = above;
        }
    }
}

// coordinates(g) = origin + Σ_a columns[a]·(m_a(g_a) - lowest[a])
struct Affine {
    Shape origin;
    Shape lowest;
    boost::container::small_vector<index_t, std::size_t{kInlineRank * kInlineRank}>
        columns; // [view axis][source axis]
};

// Finite differences at one corner of the box give the only possible affine form. It is exact if
// and only if the whole box stays within the extents of the source, because a mixed-radix
// representation is unique.
bool find_affine(const LayerView& view, const LayerView& source, Affine& affine) {
    const std::size_t n = source.extents.size();
    affine.origin.resize(n);
    affine.lowest.resize(view.extents.size());
    affine.columns.resize(view.extents.size() * n);
    index_t corner = view.base;
    Shape spans(view.extents.size());
    for (int a = 0; a < view.rank(); ++a) {
        const CoordinateBounds bounds = coordinate_bounds(view, a);
        affine.lowest[as_size(a)] = bounds.lowest;
        spans[as_size(a)] = bounds.highest - bounds.lowest;
        corner += view.strides[as_size(a)] * bounds.lowest;
    }
    coordinates_of(corner, source.extents, affine.origin.data());
    Shape least = affine.origin;
    Shape greatest = affine.origin;
    for (int a = 0; a < view.rank(); ++a) {
        if (spans[as_size(a)] == 0 || view.strides[as_size(a)] == 0) continue;
        index_t* column = affine.columns.data() + as_size(a) * n;
        coordinates_of(corner + view.strides[as_size(a)], source.extents, column);
        for (std::size_t c = 0; c < n; ++c) {
            column[c] -= affine.origin[c];
            index_t reach = 0;
            if (__builtin_mul_overflow(column[c], spans[as_size(a)], &reach)) return false;
            index_t& side = reach < 0 ? least[c] : greatest[c];
            if (__builtin_add_overflow(side, reach, &side)) return false;
            if (least[c] < 0 || greatest[c] >= source.extents[c]) return false;
        }
    }
    return true;
}

// The map source∘(first + step·view), for the one axis of `view` that feeds an axis of `source`.
struct AxisFold {
    Layer axis; // rank 1

    bool apply(const AxisMap& view, index_t extent, index_t first, index_t step) {
        if (view.is_plain()) {
            axis.restride(0, first, step, extent);
            return true;
        }
        if (view.table != nullptr) {
            const index_t limit = axis.extents[0];
            const index_t used = view.period == 0 ? extent : view.period;
            std::vector<index_t> table(static_cast<std::size_t>(used));
            for (index_t u = 0; u < used; ++u) {
                const index_t g = first + step * view.table->at(view.scale * u + view.offset);
                // Entries that the view never reaches may be outside of the source.
                table[static_cast<std::size_t>(u)] =
                    g < 0 || g >= limit ? 0 : axis.coordinate(0, g);
            }
            AxisMap folded = view;
            folded.table = make_index_sequence(std::move(table));
            folded.scale = 1;
            folded.offset = 0;
            axis.set_map(0, std::move(folded));
            axis.extents[0] = extent;
            return true;
        }
        axis.restride(0, first, step, view.period);
        return view.period > 1 && axis.repeat(0, view.step, view.phase, extent);
    }
};

} // namespace

std::optional<Layer> fold(const LayerView& view, const LayerView& source) {
    Affine affine;
    if (!find_affine(view, source, affine)) return std::nullopt;
    const std::size_t n = source.extents.size();
    const auto column = [&](int a, int c) { return affine.columns[as_size(a) * n + as_size(c)]; };

    Layer result(view);
    result.base = source.base;
    std::fill(result.strides.begin(), result.strides.end(), 0);
    for (int c = 0; c < source.rank(); ++c) {
        if (!source.is_plain(c)) continue;
        result.base += source.strides[as_size(c)] * affine.origin[as_size(c)];
        for (int a = 0; a < view.rank(); ++a)
            result.strides[as_size(a)] += source.strides[as_size(c)] * column(a, c);
    }
    for (int a = 0; a < view.rank(); ++a)
        result.base -= result.strides[as_size(a)] * affine.lowest[as_size(a)];

    for (int c = 0; c < source.rank(); ++c) {
        if (source.is_plain(c)) continue;
        int feeder = -1;
        for (int a = 0; a < view.rank(); ++a) {
            if (column(a, c) == 0) continue;
            if (feeder >= 0) return std::nullopt;
            feeder = a;
        }
        if (feeder < 0) {
            result.base +=
                source.strides[as_size(c)] * source.coordinate(c, affine.origin[as_size(c)]);
            continue;
        }
        for (int other = 0; other < source.rank(); ++other)
            if (other != c && column(feeder, other) != 0) return std::nullopt;
        AxisFold folding;
        folding.axis.append(source.extents[as_size(c)], source.strides[as_size(c)],
                            source.maps[as_size(c)]);
        const index_t step = column(feeder, c);
        const index_t first = affine.origin[as_size(c)] - step * affine.lowest[as_size(feeder)];
        if (!folding.apply(result.map(feeder), view.extents[as_size(feeder)], first, step))
            return std::nullopt;
        result.base += folding.axis.base;
        result.strides[as_size(feeder)] = folding.axis.strides[0];
        result.set_map(feeder, folding.axis.map(0));
    }
    return result;
}

Layer split_axes(const LayerView& view, ShapeSpan source_extents) {
    Layer layer(view);
    index_t below = 1; // elements of the source per step along its axis c
    for (std::size_t c = source_extents.size(); c-- > 0; below *= source_extents[c]) {
        for (int a = 0; a < layer.rank(); ++a) {
            const index_t stride = layer.strides[as_size(a)];
            const index_t size = stride < 0 ? -stride : stride;
            if (!layer.is_plain(a) || size == 0 || size >= below || below % size != 0) continue;
            const index_t inner = below / size;
            const index_t extent = layer.extents[as_size(a)];
            if (inner >= extent || extent % inner != 0 || layer.rank() == kMaxRank) continue;
            layer.extents[as_size(a)] = extent / inner;
            layer.strides[as_size(a)] = stride * inner;
            layer.insert(a + 1, inner, stride);
        }
    }
    return layer;
}

Layer merge_axes(const LayerView& view) {
    Layer layer(view);
    for (int a = layer.rank(); a-- > 0;)
        if (layer.extents[as_size(a)] == 1) layer.fix(a, 0);
    for (int a = layer.rank() - 2; a >= 0; --a) {
        if (!layer.is_plain(a + 1)) continue;
        const index_t extent = layer.extents[as_size(a) + 1];
        const index_t stride = layer.strides[as_size(a) + 1];
        if (!is_one_axis(layer.strides[as_size(a)], stride, extent)) continue;
        if (!layer.is_plain(a)) {
            // ((g + φ) mod p)·n + h = (g·n + h + φ·n) mod p·n, for 0 <= h < n.
            AxisMap map = layer.map(a);
            if (map.table != nullptr || map.step != 1 ||
                __builtin_mul_overflow(map.period, extent, &map.period))
                continue;
            map.phase *= extent;
            layer.set_map(a, std::move(map));
        }
        layer.strides[as_size(a)] = stride;
        layer.extents[as_size(a)] *= extent;
        layer.erase(a + 1);
    }
    return layer;
}

} // namespace purview::dimensions
