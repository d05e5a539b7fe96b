#include "layer.hpp"

#include <purview/base/checked.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace purview::inline v0_1::dimensions {
void intrusive_ptr_add_ref(const LayerRest* rest) noexcept { rest->references.add(); }

void LayerRest::release(const LayerRest* rest) noexcept {
    while (rest != nullptr && rest->references.drop()) {
        auto* last = const_cast<LayerRest*>(rest);
        rest = last->inner.has_value() ? last->inner->rest_.detach() : nullptr;
        delete last;
    }
}

void intrusive_ptr_release(const LayerRest* rest) noexcept { LayerRest::release(rest); }

Layer::Layer(const LayerView& view)
    : extents(view.extents.begin(), view.extents.end()),
      strides(view.strides.begin(), view.strides.end()),
      base(view.base),
      maps(view.maps.begin(), view.maps.end()) {}

Layer Layer::identity(ShapeSpan shape) {
    Layer layer;
    layer.extents = to_shape(shape);
    layer.strides.resize(shape.size());
    index_t stride = 1;
    for (std::size_t a = shape.size(); a-- > 0;) {
        layer.strides[a] = stride;
        // As in NumPy, an empty extent counts as 1 in the strides of the other axes.
        stride = checked_multiply(stride, std::max<index_t>(shape[a], 1), "strides");
    }
    return layer;
}

void Layer::set_map(int axis, AxisMap map) {
    if (maps.empty()) {
        if (map.is_plain()) return;
        maps.resize(extents.size());
    }
    maps[as_size(axis)] = std::move(map);
}

void Layer::erase(int axis) {
    extents.erase(extents.begin() + axis);
    strides.erase(strides.begin() + axis);
    if (!maps.empty()) maps.erase(maps.begin() + axis);
}

void Layer::insert(int axis, index_t extent, index_t stride, AxisMap map) {
    extents.insert(extents.begin() + axis, extent);
    strides.insert(strides.begin() + axis, stride);
    if (!maps.empty()) maps.insert(maps.begin() + axis, AxisMap{});
    set_map(axis, std::move(map));
}

void Layer::fix(int axis, index_t g) {
    base += strides[as_size(axis)] * coordinate(axis, g);
    erase(axis);
}

void Layer::restride(int axis, index_t first, index_t step, index_t count) {
    extents[as_size(axis)] = count;
    index_t& stride = strides[as_size(axis)];
    if (count <= 1) {
        if (count == 1) base += stride * coordinate(axis, first);
        set_map(axis, {});
        return;
    }
    if (is_plain(axis)) {
        base += stride * first;
        stride *= step;
        return;
    }
    AxisMap& map = maps[as_size(axis)];
    if (map.period == 0) {
        map.offset += map.scale * first;
        map.scale *= step;
        return;
    }
    map.phase = floor_mod(map.phase + multiply_mod(map.step, first, map.period), map.period);
    map.step = centred_mod(multiply_mod(map.step, step, map.period), map.period);
    flatten(axis, true);
}

void Layer::flatten(int axis, bool any_step) {
    AxisMap& map = maps[as_size(axis)];
    const index_t last = extents[as_size(axis)] - 1;
    const auto stays_inside = [&](index_t step) {
        index_t u = 0;
        return !__builtin_mul_overflow(step, last, &u) &&
               !__builtin_add_overflow(u, map.phase, &u) && u >= 0 && u < map.period;
    };
    index_t step = map.step;
    if (!stays_inside(step)) {
        if (!any_step) return;
        step += step > 0 ? -map.period : map.period;
        if (!stays_inside(step)) return;
    }
    if (map.table != nullptr && step == 0) {
        base += strides[as_size(axis)] * map(0);
        strides[as_size(axis)] = 0;
        map = AxisMap{};
        return;
    }
    if (map.table != nullptr) {
        map.offset += map.scale * map.phase;
        map.scale *= step;
        map.period = 0;
        map.step = 1;
        map.phase = 0;
        return;
    }
    base += strides[as_size(axis)] * map.phase;
    strides[as_size(axis)] *= step;
    map = AxisMap{};
}

bool Layer::repeat(int axis, index_t phase, index_t count) {
    const index_t extent = extents[as_size(axis)];
    if (extent == 1 || count == 0) {
        restride(axis, 0, 1, count == 0 ? 0 : 1);
        extents[as_size(axis)] = count;
        strides[as_size(axis)] = 0;
        return true;
    }
    return repeat(axis, 1, phase, count);
}

bool Layer::repeat(int axis, index_t step, index_t phase, index_t count) {
    const index_t extent = extents[as_size(axis)];
    AxisMap map = this->map(axis);
    if (map.period == 0) {
        map.period = extent;
        map.step = centred_mod(step, extent);
        map.phase = phase;
    } else {
        // σ·((step·g + phase) mod extent) + φ mod p is one modulo when extent is a multiple of the
        // cycle of σ in p.
        if (extent % map.cycle() != 0) return false;
        map.phase = floor_mod(map.phase + multiply_mod(map.step, phase, map.period), map.period);
        map.step = centred_mod(multiply_mod(map.step, step, map.period), map.period);
    }
    set_map(axis, std::move(map));
    extents[as_size(axis)] = count;
    flatten(axis, step != 1);
    return true;
}

void Layer::pick(int axis, const IndexSequencePtr& list) {
    const index_t count = list->size();
    if (count <= 1) {
        restride(axis, count == 1 ? list->at(0) : 0, 1, count);
        return;
    }
    AxisMap picked;
    if (is_plain(axis)) {
        picked.table = list;
    } else {
        const AxisMap& map = maps[as_size(axis)];
        std::vector<index_t> coordinates(static_cast<std::size_t>(count));
        list->read(0, coordinates);
        for (index_t& g : coordinates) g = map(g);
        picked.table = make_index_sequence(std::move(coordinates));
    }
    extents[as_size(axis)] = count;
    set_map(axis, std::move(picked));
}

void Layer::validate(const char* what) const {
    if (rank() > kMaxRank)
        throw ShapeError(fmt::format("{}: rank {} is above {}", what, rank(), kMaxRank));
    checked_size(extents, what);
    index_t lowest = base;
    index_t highest = base;
    for (int a = 0; a < rank(); ++a) {
        if (extents[as_size(a)] <= 1) continue;
        index_t least = 0;
        index_t greatest = extents[as_size(a)] - 1;
        if (!is_plain(a)) {
            const AxisMap& map = maps[as_size(a)];
            if (map.period != 0) {
                const index_t reach = checked_multiply(map.step, extents[as_size(a)] - 1, what);
                checked_add(map.phase, reach, what);
                greatest = map.period - 1;
            }
            if (map.table != nullptr) {
                // Coordinate 0 is included, so that partial sums of an address fit as well.
                least = std::min<index_t>(0, map.table->min());
                greatest = std::max<index_t>(0, map.table->max());
            }
        }
        const index_t at_least = checked_multiply(strides[as_size(a)], least, what);
        const index_t at_greatest = checked_multiply(strides[as_size(a)], greatest, what);
        lowest = checked_add(lowest, std::min(at_least, at_greatest), what);
        highest = checked_add(highest, std::max(at_least, at_greatest), what);
    }
    index_t span = 0;
    if (__builtin_sub_overflow(highest, lowest, &span)) throw_overflow(what, highest, lowest);
}

Dimensions Layer::finish(const Dimensions* inner, const char* what) && {
    validate(what);
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
        // An empty one reads no address: its maps and inner layers do not matter.
        maps.clear();
        inner = nullptr;
    }
    if (std::all_of(maps.begin(), maps.end(), [](const AxisMap& m) { return m.is_plain(); }))
        maps.clear();
    Dimensions dims = make_inline(rank(), base);
    const bool is_large = rank() > kInlineRank;
    if (!is_large) {
        std::copy(extents.begin(), extents.end(), dims.outer_.extents);
        std::copy(strides.begin(), strides.end(), dims.outer_.strides);
        if (maps.empty() && inner == nullptr) return dims;
    }
    IntrusivePointer<LayerRest> rest(new LayerRest, false);
    if (is_large) {
        rest->extents.assign(extents.begin(), extents.end());
        rest->strides.assign(strides.begin(), strides.end());
    }
    rest->maps = std::move(maps);
    if (inner != nullptr) {
        if (inner->layer_count() >= kMaxLayers)
            throw ShapeError(fmt::format("{}: more than {} layers of views", what, kMaxLayers));
        rest->inner = *inner;
        rest->layer_count = inner->layer_count() + 1;
    }
    dims.rest_ = std::move(rest);
    return dims;
}

const Dimensions* Layer::inner_of(const Dimensions& dims) noexcept {
    return dims.rest_ != nullptr && dims.rest_->inner.has_value() ? &*dims.rest_->inner : nullptr;
}

Dimensions push_identity(const Dimensions& dims, const char* what) {
    return Layer::identity(dims.max_shape()).finish(&dims, what);
}

boost::container::small_vector<int, kInlineRank> checked_axes(ShapeSpan axes, int rank,
                                                              const char* what) {
    boost::container::small_vector<int, kInlineRank> result;
    for (const index_t named : axes) {
        const int axis = checked_axis(named, rank, what);
        if (std::find(result.begin(), result.end(), axis) != result.end())
            throw IndexError(
                fmt::format("{}: axis {} is named twice in {}", what, axis, to_string(axes)));
        result.push_back(axis);
    }
    return result;
}

} // namespace purview::dimensions
