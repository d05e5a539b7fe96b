#include "engine/gather/piecewise.hpp"

#include <purview/dimensions/affine_view.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/run/runner.hpp"
#include "expression/graph.hpp"

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

namespace purview::inline v0_1::engine {

/// A view each of whose axes runs along one axis of the node: the coordinates at which it begins,
/// and for each of its axes the axis of the node, and the step along it.
struct AxisAlignedView {
    Shape begin;
    boost::container::small_vector<int, 6> axes; ///< kNoPiece: stays in place
    Shape steps;
};

namespace {

constexpr int kNoPiece = -1;

/// A view of row-major addresses in this form, if each of its axes follows at most one axis of the
/// node, and no two of them the same one.
std::optional<AxisAlignedView> as_axis_aligned(const Dimensions& view, ShapeSpan shape) {
    if (!view.is_strided() || view.size() == 0) return std::nullopt;
    AxisAlignedView aligned;
    Shape strides(shape.size(), 1);
    for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
    for (std::size_t k = 0; k < shape.size(); ++k)
        aligned.begin.push_back(view.base() / strides[k] % shape[k]);
    std::vector<bool> followed(shape.size(), false);
    for (std::size_t r = 0; r < view.max_shape().size(); ++r) {
        const index_t stride = view.strides()[r];
        const index_t last = view.max_shape()[r] - 1;
        int axis = kNoPiece;
        if (stride != 0 && last > 0) {
            for (std::size_t k = 0; k < shape.size() && axis == kNoPiece; ++k) {
                const index_t step = stride / strides[k];
                if (stride % strides[k] != 0 || shape[k] == 1) continue;
                const index_t end = aligned.begin[k] + step * last;
                if (end >= 0 && end < shape[k]) axis = static_cast<int>(k);
            }
            if (axis == kNoPiece || followed[static_cast<std::size_t>(axis)]) return std::nullopt;
            followed[static_cast<std::size_t>(axis)] = true;
        }
        aligned.axes.push_back(axis);
        aligned.steps.push_back(
            axis == kNoPiece ? 0 : stride / strides[static_cast<std::size_t>(axis)]);
    }
    return aligned;
}

index_t floor_divide(index_t x, index_t y) { return x / y - (x % y < 0 ? 1 : 0); } // y > 0

/// Steps g in [0, count) with low <= begin + step·g < high.
std::pair<index_t, index_t> steps_within(index_t begin, index_t step, index_t count, index_t low,
                                         index_t high) {
    const auto steps_below = [&](index_t bound) { // of a rising coordinate
        return std::clamp(-floor_divide(begin - bound, step), index_t{0}, count);
    };
    if (step > 0) return {steps_below(low), steps_below(high)};
    const auto steps_above = [&](index_t bound) { // of a falling one, at or above it
        return std::clamp(floor_divide(begin - bound, -step) + 1, index_t{0}, count);
    };
    return {steps_above(high), steps_above(low)};
}

} // namespace

// --- the source ----------------------------------------------------------------------------------

PiecewiseSource::PiecewiseSource(const Piecewise& node, const Dimensions& view) : node_(node) {
    const NestedSource nested(node.what());
    const bool plain = view.is_identity() && view.size() == size_of(node);
    const std::optional<AxisAlignedView> aligned =
        plain ? std::nullopt : as_axis_aligned(view, node.shape());
    if (aligned) {
        add_boxes(view.max_shape(), *aligned);
    } else {
        shape_ = to_shape(node.shape());
        for (std::size_t i = 0; i < node.operands().size(); ++i) {
            Part part{node.operands()[i], node.begins()[i], node.begins()[i]};
            for (std::size_t a = 0; a < shape_.size(); ++a)
                part.end[a] += part.operand.dims.max_shape()[a];
            parts_.push_back(std::move(part));
        }
        if (!plain) addresses_.emplace(view);
    }
    merge_axes();
    for (Part& part : parts_) prepare(part);
}

PiecewiseSource::~PiecewiseSource() = default;

/// Makes parts of the pieces, with their boxes in the coordinates of the view.
void PiecewiseSource::add_boxes(ShapeSpan shape, const AxisAlignedView& aligned) {
    shape_ = to_shape(shape);
    for (std::size_t i = 0; i < node_.operands().size(); ++i) {
        const Operand& piece = node_.operands()[i];
        Part part{{}, Shape(shape_.size(), 0), shape_};
        // Where in the piece the view begins.
        Shape origin = aligned.begin;
        bool is_seen = true;
        for (std::size_t k = 0; k < origin.size(); ++k) origin[k] -= node_.begins()[i][k];
        std::vector<dimensions::AxisFeed> feeds;
        for (std::size_t r = 0; r < shape_.size(); ++r) {
            if (aligned.axes[r] == kNoPiece) continue;
            const auto k = static_cast<std::size_t>(aligned.axes[r]);
            const index_t step = aligned.steps[r];
            std::tie(part.begin[r], part.end[r]) =
                steps_within(origin[k], step, shape_[r], 0, piece.dims.max_shape()[k]);
            is_seen = is_seen && part.begin[r] < part.end[r];
            origin[k] += step * part.begin[r];
            feeds.push_back({static_cast<int>(r), aligned.axes[r], step});
        }
        Shape extents;
        for (std::size_t r = 0; r < shape_.size(); ++r)
            extents.push_back(part.end[r] - part.begin[r]);
        for (std::size_t k = 0; k < origin.size(); ++k)
            is_seen = is_seen && origin[k] >= 0 && origin[k] < piece.dims.max_shape()[k];
        if (!is_seen) continue;
        part.operand = {piece.node, dimensions::affine_view(piece.dims, extents, feeds, origin)};
        parts_.push_back(std::move(part));
    }
}

void PiecewiseSource::merge_axes() {
    for (std::size_t a = shape_.size(); a-- > 1;) {
        const bool divided = std::ranges::any_of(
            parts_, [&](const Part& part) { return part.end[a] - part.begin[a] != shape_[a]; });
        if (divided) continue;
        const index_t extent = shape_[a];
        const auto merge = [&](Shape& numbers) {
            numbers[a - 1] *= extent;
            numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(a));
        };
        merge(shape_);
        for (Part& part : parts_) {
            merge(part.begin);
            merge(part.end);
        }
    }
    if (!shape_.empty()) return;
    shape_.push_back(1);
    for (Part& part : parts_) {
        part.begin.push_back(0);
        part.end.push_back(1);
    }
}

void PiecewiseSource::prepare(Part& part) {
    part.memory = line_in_memory(part.operand, BoolBytes::rejected, Alignment::any);
    if (part.memory != nullptr) return;
    part.values = std::make_unique<const Values>(part.operand);
    part.plan = plan_for(*part.values, {});
}

bool PiecewiseSource::is_thread_safe() const noexcept {
    return std::ranges::all_of(
        parts_, [](const Part& part) { return part.memory != nullptr || part.plan->thread_safe; });
}

std::string PiecewiseSource::describe() const {
    std::string text = fmt::format("{} pieces", parts_.size());
    const auto computed =
        std::ranges::count_if(parts_, [](const Part& part) { return part.memory == nullptr; });
    if (computed > 0) text += fmt::format(", {} of them computed", computed);
    if (addresses_) text += ", through a view that does not reach them";
    return text;
}

std::unique_ptr<BlockReader> PiecewiseSource::make_reader() const {
    return std::make_unique<PiecewiseReader>(*this);
}

// --- the reader ----------------------------------------------------------------------------------

namespace {

/// Shorter runs of a piece are not worth a call of their own.
constexpr index_t kShortestRun = 256;
/// Elements between two that are picked are read as well, up to this step.
constexpr index_t kLongestStep = 16;

} // namespace

PiecewiseReader::PiecewiseReader(const PiecewiseSource& source)
    : source_(source),
      dtype_(source.node_.dtype()),
      size_(dtype_.size_bytes()),
      word_(dtype_.is_builtin() ? size_ : 0),
      runners_(source.parts_.size()),
      blocks_(source.parts_.size()),
      cursors_(source.parts_.size()) {
    for (std::size_t i = 0; i < runners_.size(); ++i)
        if (source.parts_[i].memory == nullptr)
            runners_[i] =
                std::make_unique<Runner>(*source.parts_[i].plan, *source.parts_[i].values);
}

PiecewiseReader::~PiecewiseReader() = default;

void PiecewiseReader::copy(const std::byte* from, index_t count, std::byte* out) const {
    if (word_ > 0) // built-in elements, which may be misaligned
        std::memcpy(out, from, static_cast<std::size_t>(count * word_));
    else
        dtype_.descriptor().copy(from, out, count);
}

void PiecewiseReader::read(index_t begin, index_t count, std::byte* out, bool) {
    if (!source_.addresses_) return read_in_order(begin, count, out);
    source_.addresses_->runs(begin, count, [&](index_t address, index_t step, index_t length) {
        if (step == 1 || length == 1)
            read_in_order(address, length, out);
        else
            read_at_step(address, step, length, out);
        out += length * size_;
    });
}

void PiecewiseReader::read_at_step(index_t address, index_t step, index_t count, std::byte* out) {
    const index_t stride = step < 0 ? -step : step;
    if (stride > kLongestStep) {
        for (index_t i = 0; i < count; ++i) read_in_order(address + i * step, 1, out + i * size_);
        return;
    }
    if (!picked_) picked_ = std::make_unique<ElementBlock>(dtype_, kBlock);
    while (count > 0) {
        const index_t some = stride == 0 ? count : std::min(count, (kBlock - 1) / stride + 1);
        const index_t first = step < 0 ? address + (some - 1) * step : address;
        read_in_order(first, stride == 0 ? 1 : (some - 1) * stride + 1, picked_->at(0));
        for (index_t i = 0; i < some; ++i)
            copy(picked_->at(address + i * step - first), 1, out + i * size_);
        address += some * step;
        count -= some;
        out += some * size_;
    }
}

Shape PiecewiseReader::coordinates_of(index_t place) const {
    Shape coordinates = source_.shape_;
    for (std::size_t a = coordinates.size(); a-- > 0;) {
        const index_t extent = source_.shape_[a];
        coordinates[a] = place % extent;
        place /= extent;
    }
    return coordinates;
}

index_t PiecewiseReader::elements_before(const Part& part, index_t place) const {
    index_t inside = 1; // elements of the part for one step along the axes in front
    for (std::size_t a = 0; a < part.begin.size(); ++a) inside *= part.end[a] - part.begin[a];
    const index_t last = source_.shape_[0];
    index_t below = 1;
    for (std::size_t a = 1; a < source_.shape_.size(); ++a) below *= source_.shape_[a];
    if (place >= last * below) return inside;
    index_t before = 0;
    for (std::size_t a = 0; a < part.begin.size(); ++a) {
        const index_t coordinate = place / below;
        place %= below;
        inside /= part.end[a] - part.begin[a];
        before += std::clamp(coordinate - part.begin[a], index_t{0}, part.end[a] - part.begin[a]) *
                  inside;
        if (coordinate < part.begin[a] || coordinate >= part.end[a]) break;
        if (a + 1 < part.begin.size()) below /= source_.shape_[a + 1];
    }
    return before;
}

void PiecewiseReader::read_part(std::size_t part, index_t begin, index_t count, std::byte* out) {
    if (const std::byte* const memory = source_.parts_[part].memory; memory != nullptr)
        return copy(memory + begin * size_, count, out);
    runners_[part]->run_into(begin, count, out);
}

void PiecewiseReader::read_in_order(index_t begin, index_t count, std::byte* out) {
    while (count > 0) {
        const Shape coordinates = coordinates_of(begin);
        const auto part = static_cast<std::size_t>(
            std::ranges::find_if(source_.parts_,
                                 [&](const Part& each) {
                                     for (std::size_t a = 0; a < coordinates.size(); ++a)
                                         if (coordinates[a] < each.begin[a] ||
                                             coordinates[a] >= each.end[a])
                                             return false;
                                     return true;
                                 }) -
            source_.parts_.begin());
        index_t done = std::min(source_.parts_[part].end.back() - coordinates.back(), count);
        if (done >= kShortestRun || done == count) {
            read_part(part, elements_before(source_.parts_[part], begin), done, out);
        } else {
            done = std::min(count, kBlock);
            read_alternating(begin, done, out);
        }
        begin += done;
        count -= done;
        out += done * size_;
    }
}

void PiecewiseReader::read_alternating(index_t begin, index_t count, std::byte* out) {
    for (std::size_t i = 0; i < source_.parts_.size(); ++i) {
        const Part& part = source_.parts_[i];
        const index_t from = elements_before(part, begin);
        const index_t to = elements_before(part, begin + count);
        cursors_[i] = part.memory == nullptr ? nullptr : part.memory + from * size_;
        if (from == to || part.memory != nullptr) continue;
        if (!blocks_[i]) blocks_[i] = std::make_unique<ElementBlock>(dtype_, kBlock);
        read_part(i, from, to - from, blocks_[i]->at(0));
        cursors_[i] = blocks_[i]->at(0);
    }
    interleave_rows(begin, count, out);
}

void PiecewiseReader::interleave_rows(index_t begin, index_t count, std::byte* out) {
    Shape at = coordinates_of(begin);
    const std::size_t inner = at.size() - 1;
    find_row(at);
    while (count > 0) {
        for (const std::size_t i : row_.parts) {
            const Part& part = source_.parts_[i];
            if (part.end[inner] <= at[inner]) continue;
            const index_t some = std::min(part.end[inner] - at[inner], count);
            const std::byte*& from = cursors_[i];
            if (some == 1 && word_ == 8)
                std::memcpy(out, from, 8);
            else if (some == 1 && word_ == 4)
                std::memcpy(out, from, 4);
            else
                copy(from, some, out);
            from += some * size_;
            out += some * size_;
            at[inner] += some;
            count -= some;
            if (count == 0) return;
        }
        at[inner] = 0;
        for (std::size_t a = inner; a-- > 0;) {
            if (++at[a] < source_.shape_[a]) break;
            at[a] = 0;
        }
        if (inner > 0 && (at[inner - 1] == 0 || at[inner - 1] >= row_.same_until)) find_row(at);
    }
}

void PiecewiseReader::find_row(ShapeSpan coordinates) {
    const std::size_t inner = coordinates.size() - 1;
    row_.parts.clear();
    row_.same_until = std::numeric_limits<index_t>::max();
    for (std::size_t i = 0; i < source_.parts_.size(); ++i) {
        const Part& part = source_.parts_[i];
        bool contains_row = true;
        for (std::size_t a = 0; a < inner && contains_row; ++a)
            contains_row = coordinates[a] >= part.begin[a] && coordinates[a] < part.end[a];
        if (inner > 0)
            for (const index_t bound : {part.begin[inner - 1], part.end[inner - 1]})
                if (bound > coordinates[inner - 1])
                    row_.same_until = std::min(row_.same_until, bound);
        if (contains_row) row_.parts.push_back(i);
    }
    std::ranges::sort(row_.parts, {},
                      [&](std::size_t i) { return source_.parts_[i].begin[inner]; });
}

} // namespace purview::engine
