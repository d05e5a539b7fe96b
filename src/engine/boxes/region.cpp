#include "engine/boxes/region.hpp"

#include "dimensions/layer.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The step along the axis of the array, if it is one for all of [begin, end).
std::optional<index_t> even_step(const FollowedAxis& axis, index_t begin, index_t end) {
    if (end - begin <= 1) return 0;
    const index_t step = axis.at(begin + 1) - axis.at(begin);
    if (axis.is_plain()) return step;
    if (axis.is_rotated())
        return dimensions::before_wrap(axis.map, begin) < end - begin ? std::nullopt
                                                                      : std::optional(step);
    for (index_t g = begin + 2; g < end; ++g)
        if (axis.at(g) - axis.at(g - 1) != step) return std::nullopt;
    return step;
}

/// Calls `f(first, step, begin, count)` for the parts of an axis that are evenly spaced: where it is
/// rotated, one after the other.
template <typename F>
void for_even_parts(const AxisRegion& axis, F f) {
    if (axis.mapped == nullptr) return f(axis.first, axis.step, index_t{0}, axis.count);
    const FollowedAxis& mapped = *axis.mapped;
    for (index_t i = 0; i < axis.count;) {
        const index_t length =
            std::min(axis.count - i, dimensions::before_wrap(mapped.map, axis.begin + i));
        f(axis.at(i), mapped.step * mapped.map.step, i, length);
        i += length;
    }
}

bool is_listed(const AxisRegion& axis) {
    return axis.mapped != nullptr && !axis.mapped->is_rotated();
}

/// The chunk of each entry of a listed axis.
std::vector<index_t> chunks_of_list(const AxisRegion& axis, index_t chunk) {
    std::vector<index_t> chunks(static_cast<std::size_t>(axis.count));
    for (index_t i = 0; i < axis.count; ++i)
        chunks[static_cast<std::size_t>(i)] = axis.at(i) / chunk;
    return chunks;
}

/// The pieces of a listed axis, sorted by chunk.
std::vector<AxisPiece> pieces_of_list(const AxisRegion& axis, index_t chunk) {
    const std::vector<index_t> chunks = chunks_of_list(axis, chunk);
    const auto chunk_of = [&](index_t i) { return chunks[static_cast<std::size_t>(i)]; };
    std::vector<index_t> order(chunks.size());
    std::iota(order.begin(), order.end(), index_t{0});
    std::ranges::stable_sort(order, {}, chunk_of);
    std::vector<AxisPiece> pieces;
    for (const index_t i : order) {
        if (pieces.empty() || pieces.back().chunk != chunk_of(i))
            pieces.push_back({chunk_of(i), std::vector<AxisPart>(1)});
        AxisPart& part = pieces.back().parts.front();
        part.from_list.push_back(axis.at(i) - chunk_of(i) * chunk);
        part.to_list.push_back(i);
        ++part.count;
    }
    return pieces;
}

/// How many different values a list has that is not empty. Groups are chosen by counting the chunks of long lists again
/// and again, so nothing is sorted where the values lie close.
index_t count_distinct(std::vector<index_t> list) {
    const auto [least, most] = std::ranges::minmax(list);
    if ((most - least) / 64 >= std::ssize(list)) {
        std::ranges::sort(list);
        return std::unique(list.begin(), list.end()) - list.begin();
    }
    std::vector<bool> seen(static_cast<std::size_t>(most - least + 1));
    for (const index_t value : list) seen[static_cast<std::size_t>(value - least)] = true;
    return std::ranges::count(seen, true);
}

} // namespace

Shape Box::extents() const {
    Shape extents;
    for (std::size_t a = 0; a < begin.size(); ++a) extents.push_back(end[a] - begin[a]);
    return extents;
}

index_t Box::size() const noexcept {
    index_t size = 1;
    for (std::size_t a = 0; a < begin.size(); ++a) size *= end[a] - begin[a];
    return size;
}

Box Box::after(ShapeSpan origin) const {
    Box moved = *this;
    for (std::size_t a = 0; a < begin.size(); ++a) {
        moved.begin[a] += origin[a];
        moved.end[a] += origin[a];
    }
    return moved;
}

index_t bytes_of_elements(index_t count, const Chunks& chunks) noexcept {
    constexpr double kMost = 1e15;
    const auto bytes = static_cast<double>(chunks.element_type().size_bytes());
    return static_cast<index_t>(std::min(static_cast<double>(count) * bytes, kMost));
}

Region::Region(const FollowedAxes& followed, const Box& box)
    : followed_(followed),
      extents_(box.extents()),
      steps_(followed.axes.size(), 0),
      starts_(followed.begin),
      axes_(followed.begin.size()) {
    for (std::size_t k = 0; k < axes_.size(); ++k) axes_[k].step = 0;
    Shape last = followed.begin; // the greatest coordinate along each axis
    Shape first = followed.begin;
    for (std::size_t r = 0; r < followed.axes.size(); ++r) {
        const FollowedAxis& axis = followed.axes[r];
        if (axis.axis == FollowedAxis::kNone) continue;
        const auto k = static_cast<std::size_t>(axis.axis);
        const std::optional<index_t> step = even_step(axis, box.begin[r], box.end[r]);
        steps_[r] = step.value_or(1);
        if (!step) {
            axes_[k] = {followed.begin[k], 1, extents_[r], &axis, box.begin[r]};
            starts_[k] = 0;
            continue;
        }
        const index_t from = axis.at(box.begin[r]);
        const index_t to = axis.at(box.end[r] - 1);
        first[k] += std::min(from, to);
        last[k] += std::max(from, to);
        starts_[k] += from;
        axes_[k].step = std::gcd(axes_[k].step, *step);
    }
    for (std::size_t k = 0; k < axes_.size(); ++k) {
        AxisRegion& axis = axes_[k];
        if (axis.mapped != nullptr) continue;
        axis.step = std::max<index_t>(axis.step, 1);
        axis.first = first[k];
        axis.count = (last[k] - first[k]) / axis.step + 1;
        starts_[k] -= first[k];
    }
}

index_t Region::size() const noexcept {
    index_t size = 1;
    for (const AxisRegion& axis : axes_)
        if (__builtin_mul_overflow(size, axis.count, &size))
            return std::numeric_limits<index_t>::max();
    return size;
}

index_t Region::bytes_put_together(const Chunks& chunks) const {
    index_t bytes = bytes_of_elements(size(), chunks);
    for (std::size_t r = 0; r < extents_.size(); ++r) // as pieces_of_list sorts them
        if (followed_.axes[r].map.table != nullptr)
            bytes += 3 * extents_[r] * index_t{sizeof(index_t)};
    return bytes;
}

Dimensions Region::view_in(ShapeSpan strides, index_t base) const {
    Shape of_view(extents_.size(), 0);
    for (std::size_t r = 0; r < extents_.size(); ++r)
        if (steps_[r] != 0)
            of_view[r] = steps_[r] * strides[static_cast<std::size_t>(followed_.axes[r].axis)];
    for (std::size_t k = 0; k < axes_.size(); ++k) base += starts_[k] * strides[k];
    return Dimensions::strided(extents_, of_view, base);
}

Dimensions Region::view() const {
    // Strides of coordinates: one of the array is 1/step of one of the region.
    Shape of_view(extents_.size(), 0);
    Shape strides(axes_.size(), 1);
    index_t next = 1;
    index_t base = 0;
    for (std::size_t k = axes_.size(); k-- > 0; next *= axes_[k].count) {
        strides[k] = next;
        base += starts_[k] / axes_[k].step * next;
    }
    for (std::size_t r = 0; r < extents_.size(); ++r) {
        if (steps_[r] == 0) continue;
        const auto k = static_cast<std::size_t>(followed_.axes[r].axis);
        of_view[r] = steps_[r] / axes_[k].step * strides[k];
    }
    return Dimensions::strided(extents_, of_view, base);
}

std::vector<AxisPiece> pieces_of(const AxisRegion& axis, index_t chunk) {
    if (is_listed(axis)) return pieces_of_list(axis, chunk);
    std::vector<AxisPiece> pieces;
    for_even_parts(axis, [&](index_t first, index_t step, index_t begin, index_t count) {
        for (index_t i = 0; i < count;) {
            const index_t at = first + i * step;
            AxisPart part{at % chunk, step, begin + i, count - i};
            const index_t room = step > 0 ? chunk - 1 - part.from : part.from;
            if (step != 0) part.count = std::min(room / std::abs(step) + 1, part.count);
            i += part.count;
            pieces.push_back({at / chunk, {std::move(part)}});
        }
    });
    if (axis.mapped == nullptr) return pieces;
    std::ranges::stable_sort(pieces, {}, &AxisPiece::chunk);
    std::vector<AxisPiece> joined;
    for (AxisPiece& piece : pieces)
        if (joined.empty() || joined.back().chunk != piece.chunk)
            joined.push_back(std::move(piece));
        else
            joined.back().parts.push_back(std::move(piece.parts.front()));
    return joined;
}

index_t count_pieces(const AxisRegion& axis, index_t chunk) {
    if (is_listed(axis)) return axis.count == 0 ? 0 : count_distinct(chunks_of_list(axis, chunk));
    std::vector<std::pair<index_t, index_t>> ranges; // of chunks, the last one included
    for_even_parts(axis, [&](index_t first, index_t step, index_t, index_t count) {
        const bool each = std::abs(step) > chunk;
        for (index_t i = 0; i < (each ? count : 1); ++i) {
            const index_t from = (first + i * step) / chunk;
            const index_t to = each ? from : (first + (count - 1) * step) / chunk;
            ranges.emplace_back(std::min(from, to), std::max(from, to));
        }
    });
    std::ranges::sort(ranges);
    index_t found = 0;
    for (index_t next = 0; const auto& [from, to] : ranges) {
        if (to < next) continue;
        found += to - std::max(from, next) + 1;
        next = to + 1;
    }
    return found;
}

} // namespace purview::engine
