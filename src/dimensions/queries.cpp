// Defines purview/dimensions/dimensions.hpp.

#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/dimensions.hpp>
#include <purview/dimensions/reduce.hpp>

#include "base/distinct_indexes.hpp"
#include "layer.hpp"
#include "layer_search.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using dimensions::as_size;
using dimensions::coordinate_bounds;
using dimensions::CoordinateBounds;
using dimensions::Layer;

// The largest size for which addresses are counted one by one.
constexpr index_t kMostAddresses = index_t{1} << 20;
// The most candidates visited to decide whether strides collide.
constexpr std::uint64_t kMostSteps = 1 << 16;

std::optional<std::vector<index_t>> sorted_addresses(const Dimensions& dims) {
    const index_t size = dims.size();
    if (size > kMostAddresses) return std::nullopt;
    std::vector<index_t> addresses(static_cast<std::size_t>(size));
    dimensions::AddressStream(dims).read(0, addresses);
    std::sort(addresses.begin(), addresses.end());
    return addresses;
}

struct AddressSet {
    bool is_unique;   // no two coordinates read the same
    bool is_interval; // they are all numbers between the least and the greatest
};

AddressSet values_of(const LayerView& layer, int axis) {
    if (layer.is_plain(axis)) return {true, true};
    const AxisMap& map = layer.maps[as_size(axis)];
    const index_t extent = layer.extents[as_size(axis)];
    const index_t cycle = map.cycle();
    const bool repeats = map.period != 0 && extent > cycle;
    const CoordinateBounds bounds = coordinate_bounds(layer, axis);
    const index_t span = bounds.highest - bounds.lowest;
    const index_t used = repeats ? cycle : extent;
    if (map.table == nullptr) return {!repeats, span == used - 1};
    if (used == map.table->size() && map.table->is_unique()) return {!repeats, span == used - 1};
    std::vector<index_t> values(static_cast<std::size_t>(used));
    for (index_t g = 0; g < used; ++g) values[static_cast<std::size_t>(g)] = map(g);
    const index_t distinct = count_distinct(values, bounds.lowest, bounds.highest);
    return {!repeats && distinct == used, span == distinct - 1};
}

/// `values_of(layer, axis).is_unique`, which a whole list often tells at once.
bool is_injective(const LayerView& layer, int axis) {
    if (!layer.is_plain(axis)) {
        const AxisMap& map = layer.maps[as_size(axis)];
        const bool whole = map.table != nullptr && map.period == 0 &&
                           layer.extents[as_size(axis)] == map.table->size();
        if (whole) return map.table->is_unique();
    }
    return values_of(layer, axis).is_unique;
}

struct Spread {
    index_t stride; // > 0
    index_t span;
};

// The axes along which the address changes, by ascending stride.
std::vector<Spread> spreads_of(const LayerView& layer) {
    std::vector<Spread> spreads;
    for (int a = 0; a < layer.rank(); ++a) {
        const CoordinateBounds bounds = coordinate_bounds(layer, a);
        const index_t stride = layer.strides[as_size(a)];
        if (stride != 0 && bounds.highest > bounds.lowest)
            spreads.push_back({stride < 0 ? -stride : stride, bounds.highest - bounds.lowest});
    }
    std::sort(spreads.begin(), spreads.end(),
              [](const Spread& a, const Spread& b) { return a.stride < b.stride; });
    return spreads;
}

// Whether no two different y, y' in the box have Σ stride·y = Σ stride·y'. That is, whether no d !=
// 0 with |d| <= span has Σ stride·d = 0: an inverse query in the box of differences. Nothing if
// undecided.
std::optional<bool> is_collision_free(const std::vector<Spread>& spreads) {
    index_t reach = 0;
    bool is_nested = true;
    for (const Spread& axis : spreads) {
        is_nested = is_nested && axis.stride > reach;
        reach += axis.stride * axis.span;
    }
    if (is_nested) return true;
    Shape extents;
    Shape strides;
    for (const Spread& axis : spreads) {
        index_t extent = 0;
        if (__builtin_mul_overflow(axis.span, 2, &extent) ||
            __builtin_add_overflow(extent, 1, &extent))
            return std::nullopt;
        extents.push_back(extent);
        strides.push_back(axis.stride);
    }
    if (index_t doubled = 0; __builtin_mul_overflow(reach, 2, &doubled)) return std::nullopt;
    const LayerView differences{extents, strides, -reach, {}};
    const dimensions::LayerPlan plan(differences);
    dimensions::LayerSearch search(plan, 0, kMostSteps);
    index_t index = 0;
    if (!search.next(index)) return std::nullopt;
    const bool another = search.next(index);
    if (another) return false;
    if (search.steps() > kMostSteps) return std::nullopt;
    return true;
}

bool is_unique_when_reduced(const Dimensions& reduced) {
    bool certain = true;
    for (int k = 0; k < reduced.layer_count() && certain; ++k) {
        const LayerView view = reduced.layer(k);
        bool injective = true;
        for (int a = 0; a < view.rank(); ++a)
            if (view.extents[as_size(a)] > 1)
                injective = injective && view.strides[as_size(a)] != 0 && is_injective(view, a);
        // A repetition in the outer layer repeats an address, whatever the layers below are.
        if (!injective && k == 0) return false;
        std::optional<bool> free;
        if (injective) free = is_collision_free(spreads_of(view));
        // Mapped axes may not read all of their box, so a collision in the box need not occur.
        if (k == 0 && free == false && view.maps.empty()) return false;
        certain = free == true;
    }
    if (certain) return true;
    const auto addresses = sorted_addresses(reduced);
    return addresses.has_value() &&
           std::adjacent_find(addresses->begin(), addresses->end()) == addresses->end();
}

} // namespace

bool Dimensions::is_contiguous_of_any_rank() const noexcept {
    if (!is_strided()) return false;
    const ShapeSpan extents = max_shape();
    const ShapeSpan steps = strides();
    index_t expected = 1;
    for (std::size_t a = extents.size(); a-- > 0;) {
        if (extents[a] == 1) continue;
        if (steps[a] != expected) return size() == 0;
        expected *= extents[a];
    }
    return true;
}

bool Dimensions::is_broadcast() const noexcept {
    if (size() == 0) return false;
    for (int k = 0; k < layer_count(); ++k) {
        const LayerView view = layer(k);
        for (int a = 0; a < view.rank(); ++a) {
            const index_t extent = view.extents[as_size(a)];
            if (extent <= 1) continue;
            if (view.strides[as_size(a)] == 0) return true;
            if (view.is_plain(a)) continue;
            const index_t cycle = view.maps[as_size(a)].cycle();
            if (cycle != 0 && extent > cycle) return true;
        }
    }
    return false;
}

AddressRange Dimensions::address_range() const noexcept {
    if (size() == 0) return {};
    const LayerView innermost = layer(layer_count() - 1);
    AddressRange range{innermost.base, innermost.base, false};
    for (int a = 0; a < innermost.rank(); ++a) {
        const CoordinateBounds bounds = coordinate_bounds(innermost, a);
        const index_t stride = innermost.strides[as_size(a)];
        range.lowest += stride * (stride < 0 ? bounds.highest : bounds.lowest);
        range.highest += stride * (stride < 0 ? bounds.lowest : bounds.highest);
    }
    return range;
}

bool Dimensions::is_unique() const {
    return is_contiguous() || size() <= 1 || is_unique_when_reduced(dimensions::reduce(*this));
}

bool Dimensions::is_dense() const {
    if (size() <= 1) return true;
    const Dimensions reduced = dimensions::reduce(*this);
    if (reduced.layer_count() == 1) {
        const LayerView view = reduced.layer(0);
        bool intervals = true;
        for (int a = 0; a < view.rank(); ++a)
            if (view.strides[as_size(a)] != 0)
                intervals = intervals && values_of(view, a).is_interval;
        if (intervals) {
            // The first gap in the sums of strides is beyond the reach of the smaller strides.
            index_t reach = 0;
            for (const Spread& axis : spreads_of(view)) {
                if (axis.stride - 1 > reach) return false;
                reach += axis.stride * axis.span;
            }
            return true;
        }
    }
    const auto addresses = sorted_addresses(reduced);
    if (!addresses.has_value()) return false;
    for (std::size_t i = 1; i < addresses->size(); ++i)
        if ((*addresses)[i] - (*addresses)[i - 1] > 1) return false;
    return true;
}

} // namespace purview
