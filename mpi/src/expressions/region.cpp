#include "expressions/region.hpp"

#include <algorithm>
#include <cstdlib>

namespace purview::inline v0_1::mpi {
namespace {

/// How many of the coordinates from position i on are one run: evenly spaced, and in one interval of one place.
index_t length_of_run(const AxisCoordinates& coordinates, const AxisParts& parts, index_t i,
                      index_t place) {
    const index_t at = coordinates.at(i);
    const index_t left = coordinates.count - i;
    if (!coordinates.list.empty()) {
        index_t length = 1;
        while (length < left && coordinates.at(i + length) == at + length &&
               parts.owner(at + length) == place &&
               parts.local_of(at + length) == parts.local_of(at) + length)
            ++length;
        return length;
    }
    const index_t step = coordinates.step;
    if (step == 0) return left;
    // The interval around it.
    Interval around = parts.block() == 0 ? parts.interval(place)
                                         : Interval{at / parts.block() * parts.block(),
                                                    (at / parts.block() + 1) * parts.block()};
    around.end = std::min(around.end, parts.extent());
    const index_t room = step > 0 ? around.end - 1 - at : at - around.begin;
    return std::min(room / std::abs(step) + 1, left);
}

} // namespace

Shape strides_in_order(ShapeSpan shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t a = shape.size(); a-- > 1;) strides[a - 1] = strides[a] * shape[a];
    return strides;
}

Shape counts_of(const DistributedRegion& region) {
    Shape counts;
    for (const AxisCoordinates& axis : region) counts.push_back(axis.count);
    return counts;
}

index_t size_of(const DistributedRegion& region) noexcept {
    index_t size = 1;
    for (const AxisCoordinates& axis : region) size *= axis.count;
    return size;
}

std::vector<Runs> runs_by_place(const AxisCoordinates& coordinates, const AxisParts& parts) {
    std::vector<Runs> by_place(static_cast<std::size_t>(parts.places()));
    for (index_t i = 0; i < coordinates.count;) {
        const index_t at = coordinates.at(i);
        const index_t place = parts.owner(at);
        const index_t count = length_of_run(coordinates, parts, i, place);
        const index_t step = coordinates.list.empty() ? coordinates.step : 1;
        by_place[static_cast<std::size_t>(place)].push_back({i, parts.local_of(at), step, count});
        i += count;
    }
    return by_place;
}

index_t count_of(const Runs& runs) noexcept {
    index_t count = 0;
    for (const Run& run : runs) count += run.count;
    return count;
}

bool has_all(const AxisCoordinates& coordinates, const AxisParts& parts, index_t place) {
    if (!parts.is_divided()) return true;
    for (index_t i = 0; i < coordinates.count;) {
        if (parts.owner(coordinates.at(i)) != place) return false;
        i += length_of_run(coordinates, parts, i, place);
    }
    return true;
}

Dimensions view_of_runs(ShapeSpan shape, std::span<const Runs> axes, RunEnd end) {
    std::vector<AxisShape> extents;
    Shape strides = strides_in_order(shape);
    Shape counts;
    index_t base = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        const Runs& runs = axes[a];
        counts.push_back(count_of(runs));
        if (runs.size() == 1) {
            const bool local = end == RunEnd::local;
            base += strides[a] * (local ? runs[0].local : runs[0].position);
            strides[a] *= local ? runs[0].step : 1;
            extents.emplace_back(counts.back());
            continue;
        }
        std::vector<index_t> list;
        list.reserve(static_cast<std::size_t>(counts.back()));
        for (const Run& run : runs)
            for (index_t i = 0; i < run.count; ++i)
                list.push_back(end == RunEnd::local ? run.local + run.step * i : run.position + i);
        extents.emplace_back(make_index_sequence(std::move(list)));
    }
    return Dimensions::raw(extents, strides, Shape(shape.size(), 0), counts, base);
}

} // namespace purview
