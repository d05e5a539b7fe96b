#include "expressions/seen_part.hpp"

#include "dimensions/layer.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/select.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

using dimensions::FollowedAxis;

/// What one axis of a view reads along the axis that it follows.
AxisCoordinates coordinates_along(const FollowedAxis& axis, index_t begin, index_t count,
                                  index_t extent) {
    AxisCoordinates result{begin + axis.at(0), axis.step, count, extent};
    if (axis.is_plain()) return result;
    if (axis.is_rotated()) {
        result.step = axis.step * axis.map.step;
        const bool wraps = dimensions::before_wrap(axis.map, 0) < count;
        // Round and round the whole axis is evenly spaced, but for the wraps.
        if (!wraps || (std::abs(axis.step) == 1 && axis.map.period == extent)) return result;
    }
    result.list.resize(static_cast<std::size_t>(count));
    for (index_t g = 0; g < count; ++g)
        result.list[static_cast<std::size_t>(g)] = begin + axis.at(g);
    const index_t step = count > 1 ? result.list[1] - result.list[0] : 1;
    for (std::size_t g = 1; g < result.list.size(); ++g)
        if (result.list[g] - result.list[g - 1] != step) return result;
    result.step = step;
    result.list.clear();
    return result;
}

/// All coordinates whose addresses lie in [lowest, highest], and more.
DistributedRegion cover(ShapeSpan shape, index_t lowest, index_t highest) {
    const Shape strides = strides_in_order(shape);
    DistributedRegion region = whole_region(shape);
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const index_t from = lowest / strides[k] % shape[k];
        const index_t to = highest / strides[k] % shape[k];
        region[k].first = from;
        region[k].count = to - from + 1;
        if (from != to) break;
    }
    return region;
}

} // namespace

Dimensions part_view(const Distribution& d, int rank) {
    std::vector<AxisShape> extents;
    Shape strides = strides_in_order(d.shape());
    const DistributedRegion region = region_of_part(d, rank);
    index_t base = 0;
    for (std::size_t a = 0; a < region.size(); ++a) {
        const AxisCoordinates& axis = region[a];
        if (!axis.list.empty()) {
            extents.emplace_back(make_index_sequence(axis.list));
            continue;
        }
        extents.emplace_back(axis.count);
        if (axis.count > 0) base += strides[a] * axis.first;
        strides[a] *= axis.step;
    }
    return Dimensions::raw(extents, strides, Shape(strides.size(), 0), counts_of(region), base);
}

DistributedRegion region_of_part(const Distribution& d, int rank) {
    const Shape places = d.state().places_of(rank);
    DistributedRegion region;
    for (std::size_t a = 0; a < places.size(); ++a) {
        const AxisParts& parts = d.state().axes[a];
        AxisCoordinates axis{0, 1, parts.count(places[a]), parts.extent()};
        if (axis.count > 0) axis.first = parts.global_of(places[a], 0);
        if (!parts.is_blocks() && parts.block() == 1)
            axis.step = parts.places();
        else if (!parts.is_blocks() && axis.count > parts.block())
            axis.list = d.coordinates(rank, static_cast<index_t>(a));
        region.push_back(std::move(axis));
    }
    return region;
}

DistributedRegion whole_region(ShapeSpan shape) {
    DistributedRegion region;
    for (const index_t extent : shape) region.push_back({0, 1, extent, extent});
    return region;
}

Shape extents_of(const Box& box) {
    Shape extents;
    for (std::size_t a = 0; a < box.begin.size(); ++a) extents.push_back(box.end[a] - box.begin[a]);
    return extents;
}

Dimensions part_of(const Dimensions& view, const Box& box) {
    if (view.is_strided()) {
        index_t base = view.base();
        for (std::size_t a = 0; a < box.begin.size(); ++a) base += view.strides()[a] * box.begin[a];
        return Dimensions::strided(extents_of(box), view.strides(), base);
    }
    Dimensions part = view;
    for (std::size_t a = 0; a < box.begin.size(); ++a)
        if (box.begin[a] != 0 || box.end[a] != view.max_shape()[a])
            part =
                dimensions::select(part, static_cast<index_t>(a), Range(box.begin[a], box.end[a]));
    return part;
}

Dimensions to_local(const Distribution& d, int rank) {
    const Shape places = d.state().places_of(rank);
    Shape strides = strides_in_order(d.local_shape(rank));
    std::vector<AxisShape> extents;
    index_t base = 0;
    for (std::size_t a = 0; a < places.size(); ++a) {
        const AxisParts& parts = d.state().axes[a];
        if (parts.is_blocks()) {
            base -= strides[a] * parts.interval(places[a]).begin;
            extents.emplace_back(parts.extent());
            continue;
        }
        std::vector<index_t> list(static_cast<std::size_t>(parts.extent()), 0);
        for (std::size_t c = 0; c < list.size(); ++c)
            if (const auto at = static_cast<index_t>(c); parts.owner(at) == places[a])
                list[c] = parts.local_of(at);
        extents.emplace_back(make_index_sequence(std::move(list)));
    }
    return Dimensions::raw(extents, strides, Shape(strides.size(), 0), d.shape(), base);
}

SeenPart::SeenPart(Dimensions view, ShapeSpan shape)
    : view_(std::move(view)),
      shape_(to_shape(shape)),
      followed_(dimensions::followed_axes(view_, shape)) {
    if (!followed_) {
        const AddressRange range = view_.address_range();
        region_ = cover(shape, std::max<index_t>(range.lowest, 0), range.highest);
        return;
    }
    followers_.assign(shape.size(), -1);
    std::vector<int> counts(shape.size(), 0);
    for (std::size_t r = 0; r < followed_->axes.size(); ++r)
        if (const int k = followed_->axes[r].axis; k != FollowedAxis::kNone) {
            followers_[static_cast<std::size_t>(k)] = static_cast<int>(r);
            ++counts[static_cast<std::size_t>(k)];
        }
    for (std::size_t k = 0; k < shape.size(); ++k) {
        AxisCoordinates& axis =
            region_.emplace_back(AxisCoordinates{followed_->begin[k], 1, 1, shape[k]});
        if (counts[k] == 1) {
            const auto r = static_cast<std::size_t>(followers_[k]);
            axis = coordinates_along(followed_->axes[r], followed_->begin[k], view_.max_shape()[r],
                                     shape[k]);
            continue;
        }
        followers_[k] = -1;
        index_t last = axis.first;
        for (std::size_t r = 0; r < followed_->axes.size(); ++r) {
            if (followed_->axes[r].axis != static_cast<int>(k)) continue;
            const index_t reach = followed_->axes[r].at(view_.max_shape()[r] - 1);
            (reach > 0 ? last : axis.first) += reach;
        }
        axis.count = last - axis.first + 1;
    }
}

Dimensions SeenPart::view_in(const DistributedRegion& fetched) const {
    const Shape strides = strides_in_order(counts_of(fetched));
    index_t base = 0;
    if (!followed_) {
        for (std::size_t k = 0; k < fetched.size(); ++k) base -= fetched[k].first * strides[k];
        return dimensions::compose(view_, Dimensions::strided(shape_, strides, base));
    }
    Shape of_view(followed_->axes.size(), 0);
    for (std::size_t r = 0; r < of_view.size(); ++r) {
        const FollowedAxis& axis = followed_->axes[r];
        if (axis.axis == FollowedAxis::kNone) continue;
        const auto k = static_cast<std::size_t>(axis.axis);
        // What follows an axis alone is fetched in the order in which it is read.
        of_view[r] = strides[k] * (followers_[k] >= 0 ? 1 : axis.step);
    }
    for (std::size_t k = 0; k < fetched.size(); ++k) {
        if (followers_[k] >= 0 && !region_[k].is_interval()) continue;
        index_t from = followers_[k] >= 0 ? region_[k].first : followed_->begin[k];
        from -= fetched[k].first;
        if (from < 0) from += fetched[k].extent; // the other way round the axis
        base += from * strides[k];
    }
    return Dimensions::strided(view_.max_shape(), of_view, base);
}

std::optional<DistributedRegion> joined(const DistributedRegion& a, const DistributedRegion& b) {
    if (a == b) return a;
    DistributedRegion both;
    double apart[] = {1, 1};
    double together = 1;
    for (std::size_t k = 0; k < a.size(); ++k) {
        apart[0] *= static_cast<double>(a[k].count);
        apart[1] *= static_cast<double>(b[k].count);
        if (a[k] == b[k]) {
            both.push_back(a[k]);
        } else {
            if (!a[k].is_interval() || !b[k].is_interval()) return std::nullopt;
            AxisCoordinates axis = a[k];
            axis.step = 1;
            index_t from = b[k].first;
            // Round the axis, to where it is nearest.
            if (from - axis.first > axis.extent / 2) from -= axis.extent;
            if (axis.first - from > axis.extent / 2) from += axis.extent;
            const index_t end = std::max(axis.first + axis.count, from + b[k].count);
            axis.first = std::min(axis.first, from);
            axis.count = end - axis.first;
            if (axis.count > axis.extent) return std::nullopt;
            if (axis.first < 0) axis.first += axis.extent;
            both.push_back(axis);
        }
        together *= static_cast<double>(both.back().count);
    }
    if (together >= apart[0] + apart[1]) return std::nullopt;
    return both;
}

} // namespace purview
