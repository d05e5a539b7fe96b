#include "engine/run/compute.hpp"

#include <purview/dimensions/select.hpp>

#include "dimensions/layer.hpp"
#include "dtype/element_block.hpp"
#include "engine/compile/plan_cache.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/words.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace purview::inline v0_1::engine {
namespace {

/// The elements in a box that is worth a plan of its own, and in all boxes together.
constexpr index_t kSmallestBox = index_t{1} << 12;
constexpr index_t kFewestInBoxes = index_t{1} << 15;
/// The least share of the largest box. Boxes of halves read what several leaves share once for each
/// box: `sin(rotate(x, {0, n / 2})) + x` would take twice as long.
constexpr double kLargestBox = 0.75;

/// The stride of the destination along the innermost axis of the space, in addresses.
index_t inner_stride(const Plan& plan) {
    const StridedOperand& strided = plan.space.operands[0];
    return strided.strides.empty() ? 1 : strided.strides.back();
}

struct RowStart {
    index_t axis;
    index_t elements;
};

/// Runs a plan that walks along a destination in memory.
class MemoryAssignment {
public:
    MemoryAssignment(const Operand& source, const Leaf& leaf, const Dimensions& dims)
        : values_(source),
          plan_(plan_for(values_, {Walk::any_order, &dims, TileOp::none, nullptr})),
          stride_bytes_(leaf.writable_memory().stride_bytes),
          place_(static_cast<std::byte*>(leaf.writable_memory().data) +
                 dims.base() * stride_bytes_),
          size_(leaf.dtype().size_bytes()) {
        inner_bytes_ = inner_stride(*plan_) * stride_bytes_;
        is_direct_ = computes_in_place(*plan_, leaf);
    }

    std::vector<Shape> pieces(Ways allowed) const {
        return pieces_between_wraps(values_, *plan_, allowed);
    }

    /// Rows that are written past the caches have to begin with a cache line: the axis of the
    /// destination along which they lie, and how many of its elements come before the first whole
    /// line. Nothing where they do begin so, or not all of them can.
    std::optional<RowStart> row_start(const Dimensions& dims) const {
        constexpr index_t kLine = 64;
        if (!is_direct_ || plan_->size < kStreamedBytes / size_ || !dims.is_strided()) return {};
        const auto off = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(place_) % kLine);
        if (off == 0 || off % size_ != 0) return {};
        RowStart start{-1, (kLine - off) / size_};
        for (std::size_t a = 0; a < dims.strides().size(); ++a) {
            const index_t extent = dims.max_shape()[a];
            const index_t step = dims.strides()[a] * stride_bytes_;
            if (step == size_ && extent >= 16 * start.elements)
                start.axis = static_cast<index_t>(a);
            else if (extent > 1 && step % kLine != 0)
                return {};
        }
        if (start.axis < 0) return {};
        return start;
    }

    void run() const {
        if (plan_->inner_axes_exchanged && !is_direct_) return run_with_exchanged_axes();
        const auto part = [&](index_t begin, index_t end) { run(begin, end - begin); };
        // Where several elements share an address, the last one is to win.
        if (std::ranges::count(plan_->space.operands[0].strides, 0) > 0)
            part(0, plan_->size);
        else
            for_each_part(*plan_, plan_->size, part);
    }

private:
    /// For a plan whose inner axes are exchanged: computes panels of short rows, and transposes
    /// each of them to the destination.
    void run_with_exchanged_axes() const {
        const index_t rows = plan_->panel_rows;
        const index_t across =
            plan_->space.operands[0].strides[plan_->space.rank() - 2] * stride_bytes_;
        const bool streams = plan_->size >= kStreamedBytes / size_;
        const auto bytes = static_cast<std::size_t>(size_);
        const KernelTable& kernels = plan_->kernels;
        const auto part = [&](index_t first, index_t last) {
            Runner runner(*plan_, values_);
            ElementBlock panel(plan_->dtype, rows * kPanelStride);
            std::byte* here = nullptr;
            runner.run_columns(
                first, last,
                [&](index_t row) {
                    if (row == 0) here = place_ + runner.destination() * stride_bytes_;
                    return panel.at(row * kPanelStride);
                },
                [&](index_t row, index_t count) {
                    if (row + 1 < rows) return;
                    if (across == size_)
                        return kernels.transpose_2d(bytes, panel.at(0), kPanelStride * size_, here,
                                                    inner_bytes_, rows, count, streams);
                    for (index_t r = 0; r < rows; ++r)
                        kernels.store_strided(bytes, panel.at(r * kPanelStride), here + r * across,
                                              inner_bytes_, count);
                });
            if (streams) kernels.finish_streams();
        };
        parallel_for(plan_->size / rows, 8 * kPanelColumns, threads_for(*plan_, plan_->size), part);
    }

    void run(index_t begin, index_t count) const {
        Runner runner(*plan_, values_);
        const auto here = [&] { return place_ + runner.destination() * stride_bytes_; };
        if (is_direct_) {
            runner.stream_results();
            if (runner.run_rows(begin, count, place_, stride_bytes_))
                return plan_->kernels.finish_streams();
            std::byte* const first = place_ + plan_->space.operands[0].base * stride_bytes_;
            runner.run(
                begin, count, runner.cached_block_size(),
                [&](index_t at, index_t) { return plan_->by_rows ? here() : first + at * size_; },
                kNothingAfter);
            plan_->kernels.finish_streams();
            return;
        }
        ElementBlock block(plan_->dtype, std::min(kBlock, count));
        const auto bytes = static_cast<std::size_t>(size_);
        runner.run(
            begin, count, kBlock, [&](index_t, index_t) { return block.at(0); },
            [&](index_t at, index_t length) {
                if (plan_->by_rows)
                    plan_->kernels.store_strided(bytes, block.at(0), here(), inner_bytes_, length);
                else
                    scatter_rows(plan_->kernels, plan_->space, 0, bytes, stride_bytes_, place_, at,
                                 length, block.at(0));
            });
    }

    Values values_;
    std::shared_ptr<const Plan> plan_;
    index_t stride_bytes_;
    std::byte* place_;
    index_t size_;
    index_t inner_bytes_ = 0;
    bool is_direct_ = false;
};

/// The part of an assignment that lies in a range of one axis.
void compute_part(const Operand& source, const Leaf& leaf, const Dimensions& dims, index_t axis,
                  const Range& part) {
    MemoryAssignment({source.node, dimensions::select(source.dims, axis, part)}, leaf,
                     dimensions::select(dims, axis, part))
        .run();
}

void run_from_line(const MemoryAssignment& all, const Operand& source, const Leaf& leaf,
                   const Dimensions& dims) {
    const std::optional<RowStart> start = all.row_start(dims);
    if (!start) return all.run();
    const index_t extent = dims.max_shape()[static_cast<std::size_t>(start->axis)];
    compute_part(source, leaf, dims, start->axis, Range(0, start->elements));
    compute_part(source, leaf, dims, start->axis, Range(start->elements, extent));
}

/// Computes the boxes between the ends of pieces of the axes from `axis` on.
void compute_boxes(std::span<const Shape> pieces, index_t axis, const Operand& source,
                   const Leaf& leaf, const Dimensions& dims) {
    if (pieces.empty())
        return run_from_line(MemoryAssignment(source, leaf, dims), source, leaf, dims);
    index_t begin = 0;
    for (const index_t end : pieces.front()) {
        const Range piece(begin, end);
        compute_boxes(pieces.subspan(1), axis + 1,
                      {source.node, dimensions::select(source.dims, axis, piece)}, leaf,
                      dimensions::select(dims, axis, piece));
        begin = end;
    }
}

} // namespace

std::vector<Shape> pieces_between_wraps(const Values& values, const Plan& plan, Ways allowed) {
    if (plan.order != SpaceOrder::leaf || plan.size < kFewestInBoxes || !allowed.has(Way::boxes))
        return {};
    boost::container::small_vector<LayerView, 8> rotated;
    for (const Value& value : values) {
        if (!value.is_streamed()) continue;
        if (value.leaf() == nullptr || !value.leaf()->memory() ||
            !is_of_words(value.leaf()->dtype()) || value.view->layer_count() > 1)
            return {};
        rotated.push_back(value.view->layer(0));
        for (const AxisMap& map : rotated.back().maps)
            if (map.table != nullptr) return {};
    }
    const ShapeSpan extents = values.root().view->max_shape();
    std::vector<Shape> pieces(extents.size());
    index_t most = plan.size / kSmallestBox; // boxes of the axes that are left
    double largest = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        index_t longest = 0;
        for (index_t end = 0; end < extents[axis]; pieces[axis].push_back(end)) {
            if (std::ssize(pieces[axis]) == most) return {};
            index_t length = extents[axis] - end;
            for (const LayerView& layer : rotated)
                length = std::min(length, dimensions::before_wrap(layer.maps[axis], end));
            longest = std::max(longest, length);
            end += length;
        }
        most /= std::ssize(pieces[axis]);
        largest *= static_cast<double>(longest) / static_cast<double>(extents[axis]);
    }
    if (largest < kLargestBox) return {};
    return pieces;
}

bool computes_in_place(const Plan& plan, const Leaf& destination) {
    const index_t stride = destination.writable_memory().stride_bytes;
    const index_t size = destination.dtype().size_bytes();
    return is_aligned(destination.writable_memory().data, destination.dtype()) &&
           (plan.by_rows ? stride * inner_stride(plan) == size
                         : stride == size && plan.space.is_contiguous(0));
}

void compute(const Operand& source, const Leaf& leaf, const Dimensions& dims, Ways allowed) {
    const MemoryAssignment whole(source, leaf, dims);
    const std::vector<Shape> pieces = whole.pieces(allowed);
    count_way(pieces.empty() ? Way::computed : Way::boxes);
    if (pieces.empty()) return run_from_line(whole, source, leaf, dims);
    compute_boxes(pieces, 0, source, leaf, dims);
}

} // namespace purview::engine
