#include "engine/gather/piecewise.hpp"

#include <purview/dimensions/affine_view.hpp>
#include <purview/expression/graph.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/gather/piecewise_reader.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/run/runner.hpp"

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace purview::inline v0_1::engine {

namespace {

/// A view each of whose axes runs along one axis of the node: the coordinates at which it begins,
/// and for each of its axes the axis of the node, and the step along it.
struct AxisAlignedView {
    Shape begin;
    boost::container::small_vector<int, 6> axes; ///< kNoPiece: stays in place
    Shape steps;
};

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

std::optional<std::vector<SeenPiece>> pieces_seen(const Piecewise& node, const Dimensions& view) {
    const std::optional<AxisAlignedView> aligned = as_axis_aligned(view, node.shape());
    if (!aligned) return std::nullopt;
    const ShapeSpan shape = view.max_shape();
    std::vector<SeenPiece> pieces;
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
        const Operand& piece = node.operands()[i];
        SeenPiece seen{{}, Shape(shape.size(), 0), to_shape(shape)};
        // Where in the piece the view begins.
        Shape origin = aligned->begin;
        bool is_seen = true;
        for (std::size_t k = 0; k < origin.size(); ++k) origin[k] -= node.begins()[i][k];
        std::vector<dimensions::AxisFeed> feeds;
        for (std::size_t r = 0; r < shape.size(); ++r) {
            if (aligned->axes[r] == kNoPiece) continue;
            const auto k = static_cast<std::size_t>(aligned->axes[r]);
            const index_t step = aligned->steps[r];
            std::tie(seen.begin[r], seen.end[r]) =
                steps_within(origin[k], step, shape[r], 0, piece.dims.max_shape()[k]);
            is_seen = is_seen && seen.begin[r] < seen.end[r];
            origin[k] += step * seen.begin[r];
            feeds.push_back({static_cast<int>(r), aligned->axes[r], step});
        }
        Shape extents;
        for (std::size_t r = 0; r < shape.size(); ++r)
            extents.push_back(seen.end[r] - seen.begin[r]);
        for (std::size_t k = 0; k < origin.size(); ++k)
            is_seen = is_seen && origin[k] >= 0 && origin[k] < piece.dims.max_shape()[k];
        if (!is_seen) continue;
        seen.operand = {piece.node, dimensions::affine_view(piece.dims, extents, feeds, origin)};
        pieces.push_back(std::move(seen));
    }
    return pieces;
}

PiecewiseSource::PiecewiseSource(const Piecewise& node, const Dimensions& view)
    : kept_(&node), node_(node) {
    const NestedSource nested(node.what());
    const bool plain = view.is_identity() && view.size() == size_of(node);
    auto seen = plain ? std::nullopt : pieces_seen(node, view);
    if (seen) {
        shape_ = to_shape(view.max_shape());
        for (SeenPiece& piece : *seen) parts_.push_back(Part{std::move(piece)});
    } else {
        shape_ = to_shape(node.shape());
        for (std::size_t i = 0; i < node.operands().size(); ++i) {
            Part part{{node.operands()[i], node.begins()[i], node.begins()[i]}};
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

} // namespace purview::engine
