#include "engine/loops/box_run.hpp"

#include "engine/compile/plan_cache.hpp"
#include "engine/places/line_in_memory.hpp"

#include <purview/dimensions/select.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Of a row of a panel: several rows of several states are in the first-level cache.
constexpr index_t kPanelBytes = index_t{4} << 10;
/// The same of rows that have several axes, each of which is a call.
constexpr index_t kThickPanelBytes = index_t{16} << 10;

} // namespace

std::unique_ptr<BoxRun> BoxRun::make(const Operand& root, const Dimensions& destination,
                                     std::span<const NodePtr> states, index_t rows) {
    // Of one row nobody could tell how far it is to the next.
    const Range first(0, std::min(std::max<index_t>(rows, 2), root.dims.max_shape()[0]));
    std::unique_ptr<BoxRun> made(new BoxRun({root.node, dimensions::select(root.dims, 0, first)},
                                            dimensions::select(destination, 0, first)));
    // Rows are found by counting elements, in row-major order.
    if (made->plan_->inner_axes_exchanged || made->plan_->order == SpaceOrder::leaf ||
        !made->find_sources(states))
        return nullptr;
    made->runner_.emplace(*made->plan_, made->values_);
    return made;
}

BoxRun::BoxRun(Operand root, const Dimensions& destination)
    : root_(std::move(root)),
      destination_(destination),
      values_(root_),
      plan_(plan_for(values_, {Walk::any_order, &destination_, TileOp::none, nullptr})),
      element_bytes_(root_.dtype().size_bytes()) {
    for (std::size_t a = 1; a < root_.dims.max_shape().size(); ++a)
        row_size_ *= root_.dims.max_shape()[a];
    const StridedOperand& strided = plan_->space.operands[0];
    inner_bytes_ = (strided.strides.empty() ? 1 : strided.strides.back()) * element_bytes_;
    row_bytes_ = destination_.strides()[0] * element_bytes_;
    is_direct_ = plan_->by_rows ? inner_bytes_ == element_bytes_ : plan_->space.is_contiguous(0);
    if (!is_direct_) block_.emplace(plan_->dtype, kBlock);
}

bool BoxRun::find_sources(std::span<const NodePtr> states) {
    for (ArrayId array = 0; array < plan_->arrays.size(); ++array) {
        const ValueId id = plan_->arrays[array].value;
        if (plan_->arrays[array].source != nullptr || plan_->arrays[array].stream) return false;
        if (id == kNoValue) continue;
        const Value& value = values_[id];
        const Leaf* const leaf = value.leaf();
        if (leaf == nullptr || !value.is_strided_memory()) return false;
        const MemoryView memory = leaf->memory();
        const auto state = std::ranges::find(states, value.node, &NodePtr::get);
        const std::ptrdiff_t offset = value.view->base() * memory.stride_bytes;
        const std::ptrdiff_t row_bytes = value.view->strides()[0] * memory.stride_bytes;
        sources_.push_back(
            {array,
             state == states.end() ? kFixed : static_cast<std::size_t>(state - states.begin()),
             static_cast<const std::byte*>(memory.data), value.node, offset, row_bytes});
    }
    return true;
}

void BoxRun::move_leaf(const Node* leaf, const std::byte* first) {
    for (Source& source : sources_)
        if (source.state == kFixed && source.leaf == leaf) source.first = first;
}

void BoxRun::move_sources(std::span<std::byte* const> states, index_t row) {
    for (const Source& source : sources_) {
        const std::byte* const first = source.state == kFixed ? source.first : states[source.state];
        runner_->move_source(source.array, first + source.offset + row * source.row_bytes);
    }
}

void BoxRun::run_all(std::span<std::byte* const> states, std::byte* after) {
    move_sources(states, 0);
    run(after + destination_.base() * element_bytes_, 0, root_.dims.size());
}

void BoxRun::run(std::span<std::byte* const> states, std::byte* after, index_t row, index_t rows,
                 index_t begin, index_t end) {
    move_sources(states, row);
    std::byte* const place = after + destination_.base() * element_bytes_ + row * row_bytes_;
    if (rows == 1) return run(place, begin, end - begin);
    const bool is_flat = plan_->space.rank() == 2 && plan_->row == row_size_;
    const index_t wide = (is_flat ? kPanelBytes : kThickPanelBytes) / element_bytes_;
    const bool are_whole = begin == 0 && end == row_size_;
    if (are_whole && row_size_ < 2 * wide) return run(place, 0, rows * row_size_);
    // Panels: what neighbouring rows read in common stays in the first-level cache.
    for (index_t first = begin; first < end; first += wide) {
        const index_t last = end - first < 2 * wide ? end : first + wide;
        if (!is_flat || !is_direct_ ||
            !runner_->run_rows(0, rows * row_size_, place, element_bytes_, first, last - first))
            for (index_t i = 0; i < rows; ++i) run(place, i * row_size_ + first, last - first);
        if (last == end) break;
    }
}

/// Computes `count` elements of the plan from `begin` on, the first row of which is at `place`.
void BoxRun::run(std::byte* place, index_t begin, index_t count) {
    if (is_direct_) {
        if (runner_->run_rows(begin, count, place, element_bytes_)) return;
        std::byte* const first = place + plan_->space.operands[0].base * element_bytes_;
        runner_->run(
            begin, count, kNoLimit,
            [&](index_t at, index_t) {
                return plan_->by_rows ? place + runner_->destination() * element_bytes_
                                      : first + at * element_bytes_;
            },
            kNothingAfter);
        return;
    }
    const auto bytes = static_cast<std::size_t>(element_bytes_);
    runner_->run(
        begin, count, kBlock, [&](index_t, index_t) { return block_->at(0); },
        [&](index_t at, index_t length) {
            if (plan_->by_rows)
                plan_->kernels.store_strided(bytes, block_->at(0),
                                             place + runner_->destination() * element_bytes_,
                                             inner_bytes_, length);
            else
                scatter_rows(plan_->kernels, plan_->space, 0, bytes, element_bytes_, place, at,
                             length, block_->at(0));
        });
}

} // namespace purview::engine
