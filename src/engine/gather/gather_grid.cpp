#include "engine/gather/gather_grid.hpp"

#include "engine/gather/gather.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/run/range_fold.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The innermost axes share one table of at most this many offsets, so that runs along it are long.
constexpr index_t kShortAxes = 256;
/// A grid has at least this many rows for each offset.
constexpr index_t kRowsForOffset = 4;

/// Rows of more bytes are copied one by one.
constexpr index_t kLongestGroup = 64;
/// Shorter runs, in rows, are not worth a kernel call each.
constexpr index_t kShortestGridRun = 64;
/// Offsets are made ready for `copy_near` once they were used that often: finding out about one
/// takes a few times as long as what is then saved each time.
constexpr index_t kUsesBeforeNear = 4;
/// Longer elements are not read in pairs.
constexpr index_t kLongestInPairs = 8;

} // namespace

std::optional<GatherGridPlan> GatherGridPlan::find(const Dimensions& rows,
                                                   std::span<const Operand> indexes,
                                                   std::span<const Read> reads) {
    if (indexes.empty() || !rows.is_strided()) return {};
    const ShapeSpan shape = rows.max_shape();
    GatherGridPlan plan;
    std::vector<std::size_t> axes; // of the rows
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        axes.push_back(axis);
        plan.extents_.push_back(shape[axis]);
        plan.strides_.push_back(rows.strides()[axis]);
    }
    if (axes.empty()) return {};
    plan.base_ = rows.base();
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const Dimensions& dims = indexes[i].dims;
        if (!dims.is_strided()) return {};
        std::optional<std::size_t> along;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            if (dims.strides()[axes[axis]] == 0) continue;
            if (along) return {};
            along = axis;
        }
        Index index;
        index.axis = along.value_or(0);
        const index_t extent = plan.extents_[index.axis];
        const index_t stride = dims.strides()[axes[index.axis]];
        index.line = {indexes[i].node, Dimensions::strided(ShapeSpan(&extent, 1),
                                                           ShapeSpan(&stride, 1), dims.base())};
        for (const Read& read : reads)
            if (read.index == i) index.reads.push_back(read);
        plan.indexes_.push_back(std::move(index));
    }
    plan.inner_ = axes.size() - 1;
    index_t inner = plan.extents_.back();
    while (plan.inner_ > 0 && inner * plan.extents_[plan.inner_ - 1] <= kShortAxes)
        inner *= plan.extents_[--plan.inner_];
    plan.entries_ = inner;
    for (std::size_t axis = 0; axis < plan.inner_; ++axis) plan.entries_ += plan.extents_[axis];
    if (rows.size() / kRowsForOffset < plan.entries_) return {};
    return plan;
}

std::optional<GatherGrid> GatherGrid::make(const GatherGridPlan& plan) {
    std::vector<std::vector<index_t>> offsets;
    for (std::size_t axis = 0; axis < plan.extents_.size(); ++axis) {
        std::vector<index_t>& table = offsets.emplace_back();
        for (index_t i = 0; i < plan.extents_[axis]; ++i) table.push_back(i * plan.strides_[axis]);
    }
    std::vector<index_t> at;
    for (const GatherGridPlan::Index& index : plan.indexes_) {
        std::vector<index_t>& table = offsets[index.axis];
        at.resize(table.size());
        try {
            RangeStore(index.line)(0, std::ssize(at), at.data());
        } catch (...) {
            return {}; // it is thrown when that row is read
        }
        for (const GatherGridPlan::Read& read : index.reads)
            for (std::size_t i = 0; i < at.size(); ++i) {
                if (at[i] < -read.extent || at[i] >= read.extent) return {};
                table[i] += (at[i] < 0 ? at[i] + read.extent : at[i]) * read.stride;
            }
    }
    GatherGrid grid;
    grid.base_ = plan.base_;
    std::vector<index_t> inner{0};
    for (std::size_t axis = plan.inner_; axis < offsets.size(); ++axis) {
        std::vector<index_t> both;
        both.reserve(inner.size() * offsets[axis].size());
        for (const index_t outer : inner)
            for (const index_t step : offsets[axis]) both.push_back(outer + step);
        inner = std::move(both);
    }
    const auto is_read = [&](std::size_t axis) {
        return std::ranges::any_of(plan.indexes_,
                                   [=](const auto& index) { return index.axis == axis; });
    };
    if (plan.inner_ > 0 && !is_read(plan.inner_ - 1)) grid.step_ = plan.strides_[plan.inner_ - 1];
    offsets.resize(plan.inner_);
    offsets.push_back(std::move(inner));
    grid.tables_ = std::move(offsets);
    for (std::vector<index_t>& table : grid.tables_) {
        const index_t first = table.front();
        grid.base_ += first;
        for (index_t& offset : table) offset -= first;
    }
    return grid;
}

std::optional<index_t> GatherGrid::distance_to(const GatherGrid& other) const {
    if (tables_ != other.tables_) return {};
    return other.base_ - base_;
}

void GatherGrid::copy(const Elements& elements, index_t row, index_t count, std::byte* firsts,
                      std::byte* seconds) {
    const KernelTable& kernels = engine::kernels();
    const auto size = static_cast<std::size_t>(elements.size);
    const index_t* const all = tables_.back().data();
    if (copied_ / kUsesBeforeNear < run()) {
        copied_ += count;
        if (copied_ / kUsesBeforeNear >= run())
            near_ = NearOffsets::find(tables_.back(), elements.size, kernels.near_bytes);
    }
    visit(row, count, [&](index_t base, const index_t* offsets, index_t n) {
        const std::byte* const from = elements.memory + base * elements.size;
        if (near_)
            kernels.copy_near(size, from, near_->with(all), offsets - all, n, firsts, seconds);
        else if (seconds != nullptr)
            kernels.copy_indexed_pairs(size, from, offsets, firsts, seconds, n, elements.far);
        else
            kernels.copy_indexed(size, from, elements.size, offsets, firsts, elements.size, nullptr,
                                 n, elements.far, false);
        firsts += n * elements.size;
        if (seconds != nullptr) seconds += n * elements.size;
    });
}

/// The grid, which is made once as many rows were read as it has offsets. Null before that, and if
/// it cannot be made.
GatherGrid* GatherRunner::grid_for(index_t count) {
    if (grid_) return &*grid_;
    if (!plan_.grid_ || rows_before_grid_ < 0) return nullptr;
    rows_before_grid_ += count;
    if (rows_before_grid_ < plan_.grid_->entries()) return nullptr;
    grid_ = GatherGrid::make(*plan_.grid_);
    if (!grid_) {
        rows_before_grid_ = -1; // no other try
        return nullptr;
    }
    find_neighbour();
    return &*grid_;
}

bool GatherRunner::reads_elements_of(const GatherPlan& other) const noexcept {
    return plan_.leaf_ == other.leaf_ && plan_.width_ == 1 && other.width_ == 1 &&
           plan_.reads_memory() && !plan_.are_global_ && !other.are_global_ &&
           plan_.stride_bytes() == plan_.node_.dtype().size_bytes() &&
           plan_.stride_bytes() <= kLongestInPairs;
}

void GatherRunner::share_with(BlockReader& other) {
    auto* const gather = dynamic_cast<GatherRunner*>(&other);
    if (gather == nullptr || !plan_.grid_ || !gather->plan_.grid_) return;
    if (!reads_elements_of(gather->plan_)) return;
    same_source_.push_back(gather);
    gather->same_source_.push_back(this);
}

/// Finds a gather whose elements all lie directly before this one's, or behind them.
void GatherRunner::find_neighbour() {
    for (GatherRunner* const other : same_source_) {
        if (!other->grid_ || other->neighbour_ != nullptr) continue;
        const std::optional<index_t> distance = grid_->distance_to(*other->grid_);
        if (distance != 1 && distance != -1) continue;
        neighbour_ = other;
        other->neighbour_ = this;
        is_behind_ = distance == -1;
        other->is_behind_ = !is_behind_;
        return;
    }
}

/// Reads elements of this gather and, into its `ahead_`, those of its neighbour.
void GatherRunner::read_for_both(index_t row, index_t count, std::byte* out) {
    const index_t size = plan_.stride_bytes();
    ElementsAhead& ahead = neighbour_->ahead_;
    ahead.elements.resize(static_cast<std::size_t>(kMostRows * size));
    ahead.row = row;
    ahead.count = count;
    std::byte* const beside = ahead.elements.data();
    GatherGrid& firsts = is_behind_ ? *neighbour_->grid_ : *grid_;
    firsts.copy({plan_.memory(), size, plan_.is_far()}, row, count, is_behind_ ? beside : out,
                is_behind_ ? out : beside);
}

/// Copies elements that a neighbour has read with its own. False if it has not.
bool GatherRunner::take_elements_ahead(index_t row, index_t count, std::byte* out) {
    if (std::exchange(ahead_.count, 0) != count || ahead_.row != row) return false;
    std::memcpy(out, ahead_.elements.data(),
                static_cast<std::size_t>(count * plan_.stride_bytes()));
    return true;
}

/// Copies elements of runs of a few, such as the colours of pixels in another order, which follow each other at equal
/// steps. False, with nothing read, where that cannot be done.
bool GatherRunner::read_short_runs(const GatherGrid& grid, index_t row, index_t count,
                                   std::byte* out) {
    const index_t size = plan_.node_.dtype().size_bytes();
    const index_t run = grid.run();
    if (plan_.width_ > 1 || size > kLongestInPairs || run > kMostColumns || !grid.has_steady_runs())
        return false;
    const index_t stride = plan_.stride_bytes();
    std::array<index_t, kMostColumns> in;
    std::array<index_t, kMostColumns> to;
    const auto copy = [&](index_t first, index_t begin, index_t columns, index_t count_of_runs) {
        const GatherGrid::Runs runs = grid.runs_from(first, count_of_runs);
        for (index_t k = 0; k < columns; ++k) {
            in[static_cast<std::size_t>(k)] = runs.offsets[begin + k] * stride;
            to[static_cast<std::size_t>(k)] = k * size;
        }
        const std::array from_strides{index_t{0}, runs.step * stride};
        const std::array to_strides{index_t{0}, columns * size};
        kernels().copy_short_rows(static_cast<std::size_t>(size),
                                  plan_.memory() + runs.base * stride, from_strides.data(),
                                  in.data(), out, to_strides.data(), to.data(), 1, runs.count,
                                  columns);
        const index_t done = runs.count * columns;
        out += done * size;
        row += done;
        count -= done;
    };
    while (count > 0) {
        const index_t at = row % run;
        if (at != 0 || count < run)
            copy(row / run, at, std::min(run - at, count), 1);
        else
            copy(row / run, 0, run, count / run);
    }
    return true;
}

bool GatherRunner::find_on_grid(index_t row, index_t count) {
    const GatherGrid* const grid = grid_for(count);
    if (grid == nullptr) return false;
    index_t* out = addresses_.get();
    grid->visit(row, count, [&](index_t base, const index_t* offsets, index_t n) {
        for (index_t k = 0; k < n; ++k) out[k] = base + offsets[k];
        out += n;
    });
    return true;
}

/// Copies elements of memory, or short contiguous rows of them, by a base and offsets: no address
/// is written down. False, with nothing read, where that cannot be done.
bool GatherRunner::read_on_grid(index_t row, index_t count, std::byte* out, bool streaming) {
    const index_t size = plan_.node_.dtype().size_bytes();
    const index_t bytes = plan_.width_ * size;
    if (plan_.are_global_ || !plan_.reads_memory() || bytes > kLongestGroup ||
        (plan_.width_ > 1 && !plan_.is_line_))
        return false;
    // Asked before `grid_for`, which may find the neighbour: that one has read its elements of this
    // block already, and reads for both from the next block on.
    const bool pairs = neighbour_ != nullptr && !streaming;
    GatherGrid* const grid = grid_for(count);
    if (grid == nullptr) return false;
    if (grid->run() < kShortestGridRun) return read_short_runs(*grid, row, count, out);
    if (pairs) {
        if (!take_elements_ahead(row, count, out)) read_for_both(row, count, out);
        return true;
    }
    const index_t stride = plan_.stride_bytes();
    if (stride == bytes && !streaming) {
        grid->copy({plan_.memory(), bytes, plan_.is_far()}, row, count, out, nullptr);
        return true;
    }
    grid->visit(row, count, [&](index_t base, const index_t* offsets, index_t n) {
        kernels().copy_indexed(static_cast<std::size_t>(bytes), plan_.memory() + base * stride,
                               stride, offsets, out, bytes, nullptr, n, plan_.is_far(), streaming);
        out += n * bytes;
    });
    return true;
}

} // namespace purview::engine
