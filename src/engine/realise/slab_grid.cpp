#include "engine/realise/slab_grid.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {

SlabGrid::SlabGrid(const char* what, const Operand& operand, ShapeSpan whole, const ChunkWalk& walk,
                   index_t room) {
    const ShapeSpan shape = operand.dims.max_shape();
    const index_t element = operand.dtype().size_bytes();
    std::vector<std::size_t> cut;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        const bool is_whole = std::ranges::find(whole, static_cast<index_t>(a)) != whole.end();
        if (!is_whole) cut.push_back(a);
        Shape& ends = ends_.emplace_back();
        if (is_whole || !walk || !walk.pieces().empty()) {
            ends.push_back(shape[a]);
            continue;
        }
        Shape place(shape.size(), 0);
        for (index_t& at = place[a]; at < walk.grid().counts()[a]; ++at)
            ends.push_back(walk.grid().box_of(place).end[a]);
    }
    const index_t most = room / element;
    if (most_elements() > most)
        cut_cells(cut, most);
    else
        join_cells(cut, most);
    if (most_elements() > most)
        throw MemoryLimitError(fmt::format(
            "{}: {} bytes that have to be in memory together are more than half of what "
            "the memory limit, {} bytes, leaves; set_memory_limit gives more",
            what, most_elements() * element, memory_limit()));
    for (const Shape& ends : ends_) count_ *= std::ssize(ends);
}

SlabGrid::SlabGrid(std::vector<Shape> ends) : ends_(std::move(ends)) {
    for (const Shape& each : ends_) count_ *= std::ssize(each);
}

index_t SlabGrid::longest(std::size_t axis) const {
    index_t longest = 0;
    for (index_t at = 0; at < std::ssize(ends_[axis]); ++at)
        longest = std::max(longest, ends_[axis][static_cast<std::size_t>(at)] - begin(axis, at));
    return longest;
}

index_t SlabGrid::most_elements() const {
    index_t product = 1;
    for (std::size_t a = 0; a < ends_.size(); ++a) product *= longest(a);
    return product;
}

/// Along the first axes first, so that the rows of a slab stay long.
void SlabGrid::cut_cells(const std::vector<std::size_t>& axes, index_t most) {
    for (const std::size_t axis : axes) {
        const index_t elements = most_elements();
        if (elements <= most) return;
        const index_t now = longest(axis);
        const index_t length = std::max<index_t>(1, most / (elements / now));
        Shape ends;
        for (index_t at = 0; at < std::ssize(ends_[axis]); ++at) {
            const index_t end = ends_[axis][static_cast<std::size_t>(at)];
            for (index_t to = begin(axis, at); to < end;)
                ends.push_back(to = std::min(to + length, end));
        }
        ends_[axis] = std::move(ends);
        reads_ *= (now + length - 1) / length;
    }
}

/// Along the last axes first, for the same reason.
void SlabGrid::join_cells(const std::vector<std::size_t>& axes, index_t most) {
    for (std::size_t i = axes.size(); i-- > 0;) {
        const std::size_t axis = axes[i];
        const index_t length = most / (most_elements() / longest(axis));
        Shape ends;
        for (index_t from = 0; const index_t end : ends_[axis]) {
            if (!ends.empty() && end - from <= length)
                ends.back() = end;
            else {
                from = ends.empty() ? 0 : ends.back();
                ends.push_back(end);
            }
        }
        ends_[axis] = std::move(ends);
        if (ends_[axis].size() > 1) return;
    }
}

Box SlabGrid::box(index_t number) const {
    Box box{Shape(ends_.size(), 0), Shape(ends_.size(), 0)};
    for (std::size_t a = ends_.size(); a-- > 0;) {
        const index_t count = std::ssize(ends_[a]);
        box.begin[a] = begin(a, number % count);
        box.end[a] = ends_[a][static_cast<std::size_t>(number % count)];
        number /= count;
    }
    return box;
}

void SlabGrid::for_each_in(const Box& box, FunctionRef<void(index_t)> f) const {
    Shape first;
    Shape last;
    const auto at = [&](std::size_t axis, index_t coordinate) {
        return std::ranges::upper_bound(ends_[axis], coordinate) - ends_[axis].begin();
    };
    for (std::size_t a = 0; a < ends_.size(); ++a) {
        first.push_back(at(a, box.begin[a]));
        last.push_back(at(a, box.end[a] - 1));
    }
    for (Shape place = first;;) {
        index_t number = 0;
        for (std::size_t a = 0; a < place.size(); ++a)
            number = number * std::ssize(ends_[a]) + place[a];
        f(number);
        std::size_t a = place.size();
        for (; a > 0 && place[a - 1] == last[a - 1]; --a) place[a - 1] = first[a - 1];
        if (a == 0) return;
        ++place[a - 1];
    }
}

} // namespace purview::engine
