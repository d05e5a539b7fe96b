#include <purview/base/checked.hpp>
#include <purview/dimensions/dimensions.hpp>

#include "layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace purview::inline v0_1 {

using dimensions::Layer;

namespace {

void require_rank(std::size_t given, std::size_t rank, const char* what, const char* name) {
    if (given != rank)
        throw ShapeError(fmt::format("{}: {} {} for rank {}", what, given, name, rank));
}

/// Whether extents are nonnegative, and the number of elements and all addresses fit `index_t`.
bool addresses_fit(ShapeSpan shape, ShapeSpan strides, index_t base) noexcept {
    index_t size = 1;
    index_t lowest = base;
    index_t highest = base;
    bool overflows = false;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        if (shape[a] < 0) return false;
        if (shape[a] <= 1) continue;
        index_t reach = 0;
        overflows |= __builtin_mul_overflow(size, shape[a], &size);
        overflows |= __builtin_mul_overflow(strides[a], shape[a] - 1, &reach);
        index_t& bound = reach < 0 ? lowest : highest;
        overflows |= __builtin_add_overflow(bound, reach, &bound);
    }
    index_t span = 0;
    return !overflows && !__builtin_sub_overflow(highest, lowest, &span);
}

} // namespace

Dimensions Dimensions::row_major(ShapeSpan shape) {
    Dimensions dims;
    bool fits = shape.size() <= static_cast<std::size_t>(kInlineRank);
    if (fits) dims.outer_.rank = static_cast<int>(shape.size());
    index_t stride = 1;
    for (std::size_t a = shape.size(); fits && a-- > 0;) {
        dims.outer_.extents[a] = shape[a];
        dims.outer_.strides[a] = stride;
        fits = shape[a] >= 0 &&
               !__builtin_mul_overflow(stride, std::max<index_t>(shape[a], 1), &stride);
    }
    if (!fits) {
        checked_size(shape, "row_major"); // throws the right message
        dims = Layer::identity(shape).finish(nullptr, "row_major");
    }
    return dims;
}

Dimensions Dimensions::column_major(ShapeSpan shape) {
    checked_size(shape, "column_major");
    Layer layer;
    index_t stride = 1;
    for (const index_t extent : shape) {
        layer.append(extent, stride);
        stride *= std::max<index_t>(extent, 1);
    }
    return std::move(layer).finish(nullptr, "column_major");
}

Dimensions Dimensions::padded(ShapeSpan shape, ShapeSpan size) {
    require_rank(size.size(), shape.size(), "padded", "sizes");
    checked_size(size, "padded");
    Layer layer = Layer::identity(size);
    for (std::size_t a = 0; a < shape.size(); ++a)
        if (shape[a] > size[a])
            throw ShapeError(fmt::format("padded: extent {} of axis {} is above its padded size {}",
                                         shape[a], a, size[a]));
    layer.extents = to_shape(shape);
    return std::move(layer).finish(nullptr, "padded");
}

Dimensions Dimensions::strided(ShapeSpan shape, ShapeSpan strides, index_t base) {
    require_rank(strides.size(), shape.size(), "strided", "strides");
    if (shape.size() <= static_cast<std::size_t>(kInlineRank) &&
        addresses_fit(shape, strides, base)) {
        const auto write = [&](std::size_t a, index_t& extent, index_t& stride) {
            extent = shape[a];
            stride = strides[a];
        };
        return Layer::make_inline(static_cast<int>(shape.size()), base, write);
    }
    Layer layer; // throws the right message if addresses overflow
    layer.extents = to_shape(shape);
    layer.strides = to_shape(strides);
    layer.base = base;
    return std::move(layer).finish(nullptr, "strided");
}

Dimensions Dimensions::raw(std::span<const AxisShape> shape, ShapeSpan strides, ShapeSpan offsets,
                           ShapeSpan max_shape, index_t base) {
    require_rank(strides.size(), shape.size(), "raw", "strides");
    require_rank(offsets.size(), shape.size(), "raw", "offsets");
    require_rank(max_shape.size(), shape.size(), "raw", "extents in max_shape");
    checked_size(max_shape, "raw");
    Layer layer;
    layer.base = base;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        AxisMap map;
        if (const auto* list = std::get_if<IndexSequencePtr>(&shape[a])) {
            if (*list == nullptr)
                throw ShapeError(fmt::format("raw: the index list of axis {} is null", a));
            if ((*list)->min() < 0)
                throw IndexError(fmt::format("raw: index {} in the list of axis {} is negative",
                                             (*list)->min(), a));
            map.table = *list;
            map.period = (*list)->size();
        } else {
            map.period = std::get<index_t>(shape[a]);
        }
        if (map.period < 0)
            throw ShapeError(fmt::format("raw: shape {} of axis {} is negative", map.period, a));
        if (map.period == 0 && max_shape[a] > 0)
            throw ShapeError(
                fmt::format("raw: axis {} of shape 0 cannot have max_shape {}", a, max_shape[a]));
        const index_t extent = max_shape[a];
        if (extent == 0) {
            layer.append(0, strides[a]);
            continue;
        }
        map.phase = dimensions::floor_mod(offsets[a], map.period);
        layer.append(extent, strides[a], std::move(map));
    }
    // Validated before it is simplified, so that simplifying cannot overflow.
    static_cast<void>(Layer(layer).finish(nullptr, "raw"));
    for (int a = 0; a < layer.rank(); ++a)
        if (!layer.is_plain(a)) layer.flatten(a, false);
    return std::move(layer).finish(nullptr, "raw");
}

ShapeSpan Dimensions::large_extents() const noexcept { return rest_->extents; }

ShapeSpan Dimensions::large_strides() const noexcept { return rest_->strides; }

bool Dimensions::is_strided_large() const noexcept {
    return rest_->maps.empty() && !rest_->inner.has_value();
}

int Dimensions::layer_count() const noexcept { return rest_ == nullptr ? 1 : rest_->layer_count; }

LayerView Dimensions::layer(int index) const noexcept {
    const Dimensions* dims = this;
    for (; index > 0; --index) dims = Layer::inner_of(*dims);
    LayerView view;
    view.extents = dims->max_shape();
    view.strides = dims->strides();
    view.base = dims->outer_.base;
    if (dims->rest_ != nullptr) view.maps = {dims->rest_->maps.data(), dims->rest_->maps.size()};
    return view;
}

Shape Dimensions::shape() const {
    const LayerView outer = layer(0);
    Shape shape = to_shape(outer.extents);
    for (std::size_t a = 0; a < outer.maps.size(); ++a) {
        if (outer.maps[a].period != 0)
            shape[a] = outer.maps[a].period;
        else if (outer.maps[a].table != nullptr)
            shape[a] = outer.maps[a].table->size();
    }
    return shape;
}

Shape Dimensions::offsets() const {
    const LayerView outer = layer(0);
    Shape offsets(outer.extents.size(), 0);
    for (std::size_t a = 0; a < outer.maps.size(); ++a) {
        const AxisMap& map = outer.maps[a];
        offsets[a] = map.period != 0 ? map.phase : map.table != nullptr ? map.offset : 0;
    }
    return offsets;
}

index_t Dimensions::global_to_local(index_t index) const {
    const index_t size = this->size();
    if (index < 0 || index >= size)
        throw IndexError(
            fmt::format("global_to_local: index {} is out of range for size {}", index, size));
    for (const Dimensions* dims = this; dims != nullptr; dims = Layer::inner_of(*dims))
        index = dims->layer(0).local_of_index(index);
    return index;
}

index_t Dimensions::global_to_local(ShapeSpan coordinates) const {
    if (coordinates.size() != static_cast<std::size_t>(outer_.rank))
        throw IndexError(fmt::format("global_to_local: {} coordinates for rank {}",
                                     coordinates.size(), outer_.rank));
    Shape checked(coordinates.size());
    const ShapeSpan extents = max_shape();
    for (std::size_t a = 0; a < coordinates.size(); ++a)
        checked[a] =
            checked_index(coordinates[a], extents[a], static_cast<int>(a), "global_to_local");
    return local_of(checked);
}

index_t Dimensions::local_of_layers(ShapeSpan coordinates) const noexcept {
    index_t address = layer(0).local_of(coordinates);
    for (const Dimensions* dims = Layer::inner_of(*this); dims != nullptr;
         dims = Layer::inner_of(*dims))
        address = dims->layer(0).local_of_index(address);
    return address;
}

bool operator==(const Dimensions& a, const Dimensions& b) noexcept {
    const Dimensions* left = &a;
    const Dimensions* right = &b;
    while (left != nullptr && right != nullptr) {
        const LayerView l = left->layer(0);
        const LayerView r = right->layer(0);
        if (l.base != r.base || !std::ranges::equal(l.extents, r.extents) ||
            !std::ranges::equal(l.strides, r.strides) || !std::ranges::equal(l.maps, r.maps))
            return false;
        left = Layer::inner_of(*left);
        right = Layer::inner_of(*right);
    }
    return left == right;
}

std::size_t Dimensions::hash() const noexcept {
    std::size_t hash = 0;
    const auto mix = [&hash](index_t value) {
        // The 64-bit golden ratio, as in boost::hash_combine.
        hash ^= std::hash<index_t>{}(value) + 0x9e3779b97f4a7c15u + (hash << 12) + (hash >> 4);
    };
    for (const Dimensions* dims = this; dims != nullptr; dims = Layer::inner_of(*dims)) {
        const LayerView layer = dims->layer(0);
        mix(layer.rank());
        mix(layer.base);
        for (const index_t extent : layer.extents) mix(extent);
        for (const index_t stride : layer.strides) mix(stride);
        for (const AxisMap& map : layer.maps) {
            mix(map.period);
            mix(map.step);
            mix(map.phase);
            mix(map.scale);
            mix(map.offset);
            if (map.table == nullptr) continue;
            mix(map.table->size());
            mix(map.table->min());
            mix(map.table->max());
        }
    }
    return hash;
}

} // namespace purview
