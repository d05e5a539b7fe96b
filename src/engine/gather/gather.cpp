#include "engine/gather/gather.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/gather/copy_lines.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/gathered_places.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/run/runner.hpp"
#include "expression/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Rows with gaps of fewer elements than this are read element by element.
constexpr index_t kShortestGaps = 16;
/// Contiguous rows of fewer elements than this give way to longer rows with gaps.
constexpr index_t kShortestLine = 4;

/// Whether indexes ascend by one, so that one block of memory has all.
bool are_consecutive(const index_t* indexes, index_t count) {
    const index_t first = indexes[0];
    if (indexes[count - 1] - first != count - 1) return false;
    index_t differ = 0;
    for (index_t i = 0; i < count; ++i) differ |= indexes[i] ^ (first + i);
    return differ == 0;
}

bool is_fixed(const Dimensions& dims, std::size_t axis) {
    return dims.strides()[axis] == 0 || dims.max_shape()[axis] == 1;
}

Dimensions leading_axes(const Dimensions& dims, std::size_t count) {
    if (count == dims.max_shape().size()) return dims;
    return Dimensions::strided(dims.max_shape().first(count), dims.strides().first(count),
                               dims.base());
}
Dimensions trailing_axes(const Dimensions& dims, std::size_t from) {
    return Dimensions::strided(dims.max_shape().subspan(from), dims.strides().subspan(from));
}

} // namespace

void throw_index_outside(const Gather& node, std::size_t axis, index_t index, index_t extent) {
    const GatherAxis& given = node.axes()[axis];
    const std::string over =
        given.over.empty() ? "" : fmt::format(", indexed over {},", given.over);
    const std::string name =
        !given.name.empty()
            ? given.name
            : fmt::format("axis {}", given.shown >= 0 ? given.shown : static_cast<index_t>(axis));
    throw IndexError(fmt::format("{}: index {} is out of range for {}{} of size {}", node.what(),
                                 index, name, over, extent));
}

GatherPlan::GatherPlan(const Gather& node, const Dimensions& view) : node_(node) {
    const NestedSource nested(node.what());
    const Operand& source = node.source();
    leaf_ = leaf_of(source);
    are_global_ = leaf_ == nullptr || !source.dims.is_strided();
    if (leaf_ != nullptr) {
        thread_safe_ = leaf_->is_thread_safe();
        if (are_global_) source_map_.emplace(source.dims);
    } else {
        source_values_ = std::make_unique<const Values>(source);
        source_plan_ = plan_for(*source_values_, {});
        thread_safe_ = source_plan_->thread_safe;
    }
    const Dimensions addresses =
        are_global_ ? Dimensions::row_major(source.dims.max_shape()) : source.dims;
    Shape strides(node.shape().size(), 0);
    for (std::size_t a = 0; a < node.axes().size(); ++a) {
        const GatherAxis& axis = node.axes()[a];
        const auto number = static_cast<std::size_t>(axis.number);
        if (axis.computed)
            axes_.push_back({number, addresses.max_shape()[a], addresses.strides()[a], a});
        else
            strides[number] += addresses.strides()[a];
    }
    const Dimensions constant_view =
        Dimensions::strided(view.max_shape(), Shape(view.max_shape().size(), 0));
    const auto seen = [&](const Dimensions& dims) {
        return view.size() == 0 ? constant_view : dimensions::compose(view, dims);
    };
    std::vector<Dimensions> indexes;
    for (const Operand& index : node.indexes())
        indexes.push_back(is_constant(index) ? constant_view : seen(index.dims));
    find_rows(seen(Dimensions::strided(node.shape(), strides, addresses.base())), indexes);
}

GatherPlan::~GatherPlan() = default;

void GatherPlan::find_rows(const Dimensions& rest, const std::vector<Dimensions>& indexes) {
    const ShapeSpan shape = rest.max_shape();
    const std::size_t rank = shape.size();
    std::size_t rows = rank;
    if (rest.size() > 0 && rest.is_strided() &&
        std::ranges::all_of(indexes, &Dimensions::is_strided))
        while (rows > 0 && std::ranges::all_of(indexes, [&](const Dimensions& index) {
                   return is_fixed(index, rows - 1);
               }))
            --rows;
    // Rows may also be shorter than that: all axes before a contiguous line count rows.
    std::size_t line = rank;
    if (rest.size() > 0 && reads_memory() && !are_global_ && rest.is_strided() &&
        leaf_->memory().stride_bytes == leaf_->dtype().size_bytes())
        while (line > rows && trailing_axes(rest, line - 1).is_contiguous()) --line;
    if (element_count(shape.subspan(line)) >= kShortestLine || line == rows) {
        is_line_ = line < rank;
        rows = line;
    } else if (rest.size() == 0 || element_count(shape.subspan(rows)) < kShortestGaps) {
        rows = rank;
    }
    rows_ = element_count(shape.first(rows));
    width_ = element_count(shape.subspan(rows));
    is_line_ = is_line_ && width_ > 1;
    base_ = rest.base();
    const auto fixed = [&](std::size_t axis) { return is_fixed(rest, axis); };
    bool moves = !rest.is_strided();
    for (std::size_t axis = 0; axis < rows && !moves; ++axis) moves = !fixed(axis);
    if (moves) row_starts_.emplace(leading_axes(rest, rows));
    if (width_ > 1 && !is_line_) inside_.emplace(trailing_axes(rest, rows));
    indexes_.reserve(indexes.size()); // values refer to them
    for (std::size_t i = 0; i < indexes.size(); ++i)
        add_index(node_.indexes()[i], leading_axes(indexes[i], rows));
    std::vector<Operand> seen;
    for (const Index& index : indexes_) seen.push_back(index.operand);
    grid_ = GatherGridPlan::find(leading_axes(rest, rows), seen, axes_);
}

void GatherPlan::add_index(const Operand& index, Dimensions rows) {
    Index& added = indexes_.emplace_back();
    added.operand = {index.node, std::move(rows)};
    const Leaf* const leaf = leaf_of(added.operand);
    if (leaf != nullptr) thread_safe_ = thread_safe_ && leaf->is_thread_safe();
    added.memory = reinterpret_cast<const index_t*>(
        line_in_memory(added.operand, BoolBytes::rejected, Alignment::natural));
    if (added.memory != nullptr) return;
    added.values = std::make_unique<const Values>(added.operand);
    added.plan = plan_for(*added.values, {});
    thread_safe_ = thread_safe_ && added.plan->thread_safe;
}

bool GatherPlan::reads_memory() const noexcept {
    return leaf_ != nullptr && leaf_->memory() && leaf_->dtype().is_builtin();
}
index_t GatherPlan::stride_bytes() const noexcept { return leaf_->memory().stride_bytes; }
const std::byte* GatherPlan::memory() const noexcept {
    return static_cast<const std::byte*>(leaf_->memory().data);
}
bool GatherPlan::is_far() const noexcept {
    return leaf_->size() >= kSecondLevelBytes / leaf_->dtype().size_bytes();
}

bool GatherPlan::has_rows_at_indexes() const noexcept {
    return axes_.size() == 1 && !row_starts_ && !are_global_ && reads_memory();
}

bool GatherPlan::reads_indexes_in_place() const noexcept {
    return std::ranges::all_of(indexes_,
                               [](const Index& index) { return index.memory != nullptr; });
}

std::string GatherPlan::describe() const {
    std::string text = width_ == 1 ? "single elements"
                       : is_line_  ? fmt::format("rows of {} that lie in one piece", width_)
                                   : fmt::format("rows of {}", width_);
    text += leaf_ == nullptr ? " of what is computed for them"
            : reads_memory() ? ""
                             : " of a reader";
    if (!indexes_.empty())
        text += reads_indexes_in_place() ? ", at indexes read where they lie"
                                         : ", at indexes computed in blocks";
    return text;
}

std::unique_ptr<BlockReader> GatherPlan::make_reader() const {
    return std::make_unique<GatherRunner>(*this);
}

GatherRunner::GatherRunner(const GatherPlan& plan) : plan_(plan) {
    const auto room_for = [](index_t count) {
        return std::make_unique_for_overwrite<index_t[]>(static_cast<std::size_t>(count));
    };
    addresses_ = room_for(std::min(plan.rows_, kMostRows + kListedAhead));
    if (plan.inside_) inside_ = room_for(std::min(plan.width_, kMostRows));
    for (const GatherPlan::Index& index : plan.indexes_) {
        const bool computed = index.memory == nullptr;
        scratch_.push_back(computed ? room_for(std::min(plan.rows_, kMostRows)) : nullptr);
        runners_.push_back(computed ? std::make_unique<Runner>(*index.plan, *index.values)
                                    : nullptr);
    }
    if (plan.source_plan_)
        source_runner_ = std::make_unique<Runner>(*plan.source_plan_, *plan.source_values_);
}

GatherRunner::~GatherRunner() = default;

const index_t* GatherRunner::indexes_of(std::size_t index, index_t row, index_t count) {
    if (const index_t* const memory = plan_.indexes_[index].memory; memory != nullptr)
        return memory + row;
    index_t* const out = scratch_[index].get();
    runners_[index]->run_into(row, count, out);
    return out;
}

void GatherRunner::throw_index(const GatherPlan::Axis& axis, const index_t* indexes,
                               index_t count) const {
    for (; count > 1 && *indexes >= -axis.extent && *indexes < axis.extent; --count) ++indexes;
    throw_index_outside(plan_.node_, axis.number, *indexes, axis.extent);
}

const index_t* GatherRunner::addresses(index_t row, index_t count) {
    index_t* const out = addresses_.get();
    if (find_on_grid(row, count)) return out;
    if (plan_.row_starts_)
        plan_.row_starts_->read(row, std::span(out, static_cast<std::size_t>(count)));
    else
        std::fill_n(out, count, plan_.base_);
    for (std::size_t i = 0; i < plan_.indexes_.size(); ++i) {
        const index_t* const indexes = indexes_of(i, row, count);
        for (const GatherPlan::Axis& axis : plan_.axes_) {
            if (axis.index != i) continue;
            // An address that overflows is that of an index out of range, and never used.
            const auto extent = static_cast<std::uint64_t>(axis.extent);
            const auto stride = static_cast<std::uint64_t>(axis.stride);
            bool outside = false;
            for (index_t k = 0; k < count; ++k) {
                auto at = static_cast<std::uint64_t>(indexes[k]);
                at += static_cast<index_t>(at) < 0 ? extent : 0;
                outside |= at >= extent;
                out[k] = static_cast<index_t>(static_cast<std::uint64_t>(out[k]) + at * stride);
            }
            if (outside) throw_index(axis, indexes, count);
        }
    }
    return out;
}

void GatherRunner::addresses_inside(index_t address, index_t at, index_t count,
                                    index_t* out) const {
    if (plan_.inside_) plan_.inside_->read(at, std::span(out, static_cast<std::size_t>(count)));
    for (index_t k = 0; k < count; ++k) out[k] = address + (plan_.inside_ ? out[k] : at + k);
}

void GatherRunner::to_reader(index_t* addresses, index_t count) const {
    if (!plan_.source_map_) return;
    const std::span<index_t> all(addresses, static_cast<std::size_t>(count));
    plan_.source_map_->gather(all, all);
}

void GatherRunner::read(index_t begin, index_t count, std::byte* out, bool streaming) {
    const index_t size = plan_.node_.dtype().size_bytes();
    const index_t width = plan_.width_;
    while (count > 0 && width == 1) { // as below, without the divisions
        const index_t rows = std::min(count, kMostRows);
        read_rows(begin, rows, out, streaming);
        begin += rows;
        count -= rows;
        out += rows * size;
    }
    while (count > 0) {
        const index_t row = begin / width;
        const index_t at = begin % width;
        index_t done = std::min(width - at, count);
        if (done < width) {
            read_part_of_row(row, at, done, out);
        } else {
            const index_t rows = std::min(count / width, kMostRows);
            read_rows(row, rows, out, streaming);
            done = rows * width;
        }
        begin += done;
        count -= done;
        out += done * size;
    }
    if (streaming) kernels().finish_streams();
}

void GatherRunner::read_part_of_row(index_t row, index_t at, index_t count, std::byte* out) {
    const index_t size = plan_.node_.dtype().size_bytes();
    const index_t address = *addresses(row, 1);
    if (plan_.is_line_)
        std::memcpy(out, plan_.memory() + (address + at) * size,
                    static_cast<std::size_t>(count * size));
    else
        read_inside(address, at, count, out);
}

/// The elements [at, at + count) of the row that begins at `address`.
void GatherRunner::read_inside(index_t address, index_t at, index_t count, std::byte* out) {
    const index_t size = plan_.node_.dtype().size_bytes();
    while (count > 0) {
        const index_t some = std::min(count, kMostRows);
        addresses_inside(address, at, some, inside_.get());
        read_elements(inside_.get(), some, out);
        at += some;
        count -= some;
        out += some * size;
    }
}

bool GatherRunner::are_inside(index_t row, index_t count) {
    return plan_.has_rows_at_indexes() &&
           kernels().are_inside(indexes_of(plan_.axes_[0].index, row, count), count,
                                plan_.axes_[0].extent);
}

RowList GatherRunner::rows_at_indexes(index_t row, index_t count) {
    if (!plan_.has_rows_at_indexes()) return {};
    const GatherPlan::Axis& axis = plan_.axes_[0];
    const index_t* indexes = indexes_of(axis.index, row, count);
    index_t listed = count;
    if (plan_.indexes_[axis.index].memory != nullptr) {
        listed = std::min(count + kListedAhead, plan_.rows_ - row);
        indexes = std::copy_n(indexes, listed, addresses_.get()) - listed;
    }
    if (!kernels().are_inside(indexes, count, axis.extent)) return {};
    const index_t stride = plan_.stride_bytes();
    return {plan_.memory() + plan_.base_ * stride, axis.stride * stride, indexes, listed};
}

RowList GatherRunner::rows_in_memory(index_t row, index_t count) {
    if (!plan_.grid_)
        if (const RowList rows = rows_at_indexes(row, count); rows.list != nullptr) return rows;
    return {plan_.memory(), plan_.stride_bytes(), addresses(row, count), count};
}

/// Reads single elements at one index operand. False, with nothing read, if this cannot be done.
bool GatherRunner::read_at_indexes(index_t row, index_t count, std::byte* out) {
    if (plan_.width_ > 1) return false;
    const RowList rows = rows_at_indexes(row, count);
    if (rows.list == nullptr) return false;
    const index_t size = plan_.node_.dtype().size_bytes();
    if (rows.stride_bytes == size && are_consecutive(rows.list, count))
        std::memcpy(out, rows.first + rows.list[0] * size, static_cast<std::size_t>(count * size));
    else
        kernels().copy_indexed(static_cast<std::size_t>(size), rows.first, rows.stride_bytes,
                               rows.list, out, size, nullptr, count, plan_.is_far(), false);
    return true;
}

void GatherRunner::read_rows(index_t row, index_t count, std::byte* out, bool streaming) {
    const index_t size = plan_.node_.dtype().size_bytes();
    if (read_at_indexes(row, count, out) || read_on_grid(row, count, out, streaming)) return;
    addresses(row, count);
    if (plan_.width_ == 1) return read_elements(addresses_.get(), count, out);
    const index_t bytes = plan_.width_ * size;
    if (plan_.is_line_ && bytes > kCacheLineBytes)
        return copy_lines(plan_.memory(), addresses_.get(), count, size, bytes, plan_.is_far(), out,
                          streaming);
    if (plan_.is_line_) {
        kernels().copy_indexed(static_cast<std::size_t>(bytes), plan_.memory(), size,
                               addresses_.get(), out, bytes, nullptr, count, plan_.is_far(),
                               streaming);
        return;
    }
    for (index_t i = 0; i < count; ++i)
        read_inside(addresses_[static_cast<std::size_t>(i)], 0, plan_.width_, out + i * bytes);
}

void GatherRunner::read_elements(index_t* addresses, index_t count, std::byte* out) {
    to_reader(addresses, count);
    if (plan_.reads_memory()) {
        const index_t size = plan_.node_.dtype().size_bytes();
        kernels().copy_indexed(static_cast<std::size_t>(size), plan_.memory(), plan_.stride_bytes(),
                               addresses, out, size, nullptr, count, plan_.is_far(), false);
    } else if (plan_.leaf_ != nullptr) {
        plan_.leaf_->reader().gather_into({addresses, static_cast<std::size_t>(count)}, out);
    } else {
        read_computed(addresses, count, out);
    }
}

/// Elements of a computed source; those at consecutive indexes are computed together.
void GatherRunner::read_computed(const index_t* globals, index_t count, std::byte* out) {
    const index_t size = plan_.node_.dtype().size_bytes();
    for (index_t done = 0; done < count;) {
        const index_t begin = globals[done];
        index_t length = 1;
        while (done + length < count && globals[done + length] == begin + length) ++length;
        source_runner_->run_into(begin, length, out + done * size);
        done += length;
    }
}

} // namespace purview::engine
