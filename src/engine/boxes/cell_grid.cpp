#include "engine/boxes/cell_grid.hpp"

#include "dimensions/layer.hpp"

#include <algorithm>
#include <cstdlib>

namespace purview::inline v0_1::engine {
namespace {

/// Chunks are joined to cells of at least so many bytes. `PURVIEW_CELL_BYTES` in the environment sets
/// it, for tests with small arrays.
index_t smallest_cell() {
    static const index_t bytes = [] {
        const char* const wanted = std::getenv("PURVIEW_CELL_BYTES");
        return wanted == nullptr ? index_t{1} << 19 : std::max(std::atoll(wanted), 1LL);
    }();
    return bytes;
}
/// Where axes are not cut by chunks, cells have at most so many times the bytes.
constexpr index_t kLargest = 64;
/// No axis is cut into more cells.
constexpr index_t kMostCells = index_t{1} << 20;
/// Of a listed axis, so much that cells have the bytes of a chunk, but at most so many times.
constexpr index_t kLargestListed = 4;

/// Whether an axis is cut where chunks end: not a list, nor one that turns round within a chunk.
bool is_cut(const FollowedAxis& axis, index_t chunk) {
    return axis.is_plain() ||
           (axis.is_rotated() && std::abs(axis.map.step) == 1 && axis.map.period >= chunk);
}

/// The axis of the view that cuts axis `k` of the array: of several that follow it, the one that
/// takes the largest steps, and of these the longest; -1 if there is none.
int cutting_axis(const FollowedAxes& followed, ShapeSpan shape, std::size_t k, index_t chunk) {
    int found = -1;
    for (std::size_t r = 0; r < shape.size(); ++r) {
        const FollowedAxis& axis = followed.axes[r];
        if (axis.axis != static_cast<int>(k) || !is_cut(axis, chunk)) continue;
        if (found >= 0) {
            const auto f = static_cast<std::size_t>(found);
            const index_t best = std::abs(followed.axes[f].step);
            const index_t step = std::abs(axis.step);
            if (step < best || (step == best && shape[r] <= shape[f])) continue;
        }
        found = static_cast<int>(r);
    }
    return found;
}

/// Where the coordinates of an axis, which begin at `begin`, have passed `unit` elements or wrap.
Shape ends_of_units(const FollowedAxis& axis, index_t begin, index_t extent, index_t unit) {
    Shape ends;
    const index_t step = axis.step * axis.map.step; // 1 of plain ones
    for (index_t g = 0; g < extent;) {
        const index_t at = begin + axis.at(g);
        const index_t within = step > 0 ? unit - 1 - at % unit : at % unit;
        g += std::min(
            {extent - g, within / std::abs(step) + 1, dimensions::before_wrap(axis.map, g)});
        ends.push_back(g);
    }
    return ends;
}

Shape ends_of_equal_parts(index_t extent, index_t parts) {
    Shape ends;
    for (index_t i = 1; i <= parts; ++i)
        ends.push_back(extent / parts * i + extent % parts * i / parts);
    return ends;
}

} // namespace

CellGrid::CellGrid(ShapeSpan shape, const FollowedAxes& followed, const Chunks& chunks,
                   Small small) {
    const ShapeSpan chunk = chunks.grid().chunk;
    const std::size_t rank = shape.size();
    std::vector<int> cut_of(rank, -1); // the axis of the array that each axis is cut by
    for (std::size_t k = 0; k < chunk.size(); ++k)
        if (const int r = cutting_axis(followed, shape, k, chunk[k]); r >= 0)
            cut_of[static_cast<std::size_t>(r)] = static_cast<int>(k);

    // Elements of a cell along each axis, and how many chunks make it up.
    Shape length = to_shape(shape);
    Shape joined(rank, 1);
    const index_t smallest = smallest_cell();
    const index_t largest = kLargest * smallest;
    index_t bytes = chunks.element_type().size_bytes();
    const auto is_listed = [&](std::size_t r) {
        return cut_of[r] < 0 && !followed.axes[r].is_plain();
    };
    const auto add = [&](std::size_t r) {
        bytes = std::min(bytes, largest) * std::min(length[r], largest);
    };
    for (std::size_t r = 0; r < rank; ++r) {
        if (cut_of[r] >= 0)
            length[r] = std::min(shape[r], (chunk[static_cast<std::size_t>(cut_of[r])] - 1) /
                                                   std::abs(followed.axes[r].step) +
                                               1);
        if (!is_listed(r)) add(r);
    }
    const index_t listed = std::clamp(bytes_of_elements(chunks.elements_per_chunk(), chunks),
                                      smallest, kLargestListed * smallest);
    for (std::size_t r = rank; r-- > 0;) {
        if (!is_listed(r)) continue;
        length[r] = std::clamp<index_t>(listed / bytes, 1, shape[r]);
        add(r);
    }
    for (std::size_t r = rank; r-- > 0;)
        for (const index_t cells = (shape[r] - 1) / length[r] + 1;
             small == Small::joined && cut_of[r] >= 0 && joined[r] < cells &&
             (bytes < smallest || cells / joined[r] > kMostCells);
             joined[r] *= 2)
            bytes = std::min(2 * bytes, largest * largest);
    for (std::size_t r = 0; r < rank; ++r) {
        if (cut_of[r] >= 0) {
            const auto k = static_cast<std::size_t>(cut_of[r]);
            const index_t array = chunks.grid().shape[k];
            const index_t unit = joined[r] < array / chunk[k] ? chunk[k] * joined[r] : array;
            ends_.push_back(ends_of_units(followed.axes[r], followed.begin[k], shape[r],
                                          std::max(unit, chunk[k])));
        } else {
            const index_t parts =
                is_listed(r)
                    ? (shape[r] - 1) / length[r] + 1
                    : std::clamp<index_t>(bytes / largest, 1, std::min(shape[r], kMostCells));
            if (!is_listed(r)) bytes /= parts;
            ends_.push_back(ends_of_equal_parts(shape[r], parts));
        }
        counts_.push_back(std::ssize(ends_.back()));
        count_ *= counts_.back();
    }
}

Shape CellGrid::place_of(index_t number) const {
    Shape place(rank(), 0);
    for (std::size_t a = rank(); a-- > 0; number /= counts_[a]) place[a] = number % counts_[a];
    return place;
}

Box CellGrid::box(ShapeSpan first, ShapeSpan last) const {
    Box box;
    for (std::size_t a = 0; a < rank(); ++a) {
        const auto at = static_cast<std::size_t>(first[a]);
        box.begin.push_back(at == 0 ? 0 : ends_[a][at - 1]);
        box.end.push_back(ends_[a][static_cast<std::size_t>(last[a] - 1)]);
    }
    return box;
}

Box CellGrid::box_of(ShapeSpan cell) const {
    Shape last = to_shape(cell);
    for (index_t& each : last) ++each;
    return box(cell, last);
}

Box CellGrid::largest() const {
    Box largest{Shape(rank(), 0), Shape(rank(), 0)};
    for (std::size_t a = 0; a < rank(); ++a)
        for (index_t begin = 0; const index_t end : ends_[a]) {
            if (end - begin > largest.end[a] - largest.begin[a]) {
                largest.begin[a] = begin;
                largest.end[a] = end;
            }
            begin = end;
        }
    return largest;
}

} // namespace purview::engine
