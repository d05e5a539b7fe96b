#include "engine/copy/copy.hpp"

#include <purview/dimensions/reshape.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "dimensions/layer.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/unfolded_view.hpp"
#include "engine/places/words.hpp"
#include "engine/threads/parallel.hpp"
#include "reader/file_mappings.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The number of bools that are copied, and then made 0 or 1, at a time.
constexpr index_t kBools = index_t{1} << 15;
/// The number of addresses that are found at a time.
constexpr index_t kAddresses = 512;

/// Reduces `dims` to one layer if its layers are one, reshaped; `other` is then given the same
/// shape. Changes nothing where that would give `other` more layers.
void unfold(Dimensions& dims, Dimensions& other) {
    if (dims.layer_count() == 1) return;
    const Dimensions reduced = without_reshapes(dims);
    if (reduced.layer_count() > 1) return;
    Dimensions reshaped = dimensions::reshape(other, reduced.max_shape());
    if (reshaped.layer_count() > std::max(1, other.layer_count())) return;
    dims = reduced;
    other = std::move(reshaped);
}

} // namespace

CopyPlan::CopyPlan(const Leaf& from, const Dimensions& from_dims, const Leaf& to,
                   const Dimensions& to_dims)
    : to_(static_cast<std::byte*>(to.writable_memory().data)),
      from_(static_cast<const std::byte*>(from.memory().data)),
      to_stride_(to.writable_memory().stride_bytes),
      from_stride_(from.memory().stride_bytes),
      size_(to_dims.size()),
      boolean_(to.dtype() == boolean),
      moves_{kernels(), static_cast<std::size_t>(to.dtype().size_bytes()), false, false} {
    if (size_ == 0) return;
    const index_t size = to.dtype().size_bytes();
    moves_.streaming = !boolean_ && size_ >= kStreamedBytes / size;
    moves_.far = std::max(from.size(), to.size()) >= kSecondLevelBytes / size;
    if (from_dims.is_strided() && to_dims.is_strided()) {
        CopyBox& box = cover_.boxes.emplace_back();
        box.from = from_ + from_dims.base() * from_stride_;
        box.to = to_ + to_dims.base() * to_stride_;
        const ShapeSpan extents = to_dims.max_shape();
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            box.add({{extents[axis],
                      {0, from_dims.strides()[axis] * from_stride_},
                      {0, to_dims.strides()[axis] * to_stride_}}});
        box.finish(size);
        return;
    }
    from_dims_ = from_dims;
    to_dims_ = to_dims;
    unfold(from_dims_, to_dims_);
    unfold(to_dims_, from_dims_);
    if (from_dims_.layer_count() == 1 && to_dims_.layer_count() == 1 &&
        cover_.find({from_, from_stride_, from_dims_.layer(0)},
                    {to_, to_stride_, to_dims_.layer(0)})) {
        for (CopyBox& box : cover_.boxes) box.finish(size);
        return;
    }
    from_stream_.emplace(from_dims_);
    to_stream_.emplace(to_dims_);
}

void CopyPlan::run(index_t begin, index_t end) const {
    if (from_stream_) return run_streams(begin, end);
    for (; boolean_ && end - begin > kBools; begin += kBools) run(begin, begin + kBools);
    const auto copy = [&](const CopyBox& box) {
        copy_box_elements(moves_, box);
        if (boolean_) normalise_bools(moves_.kernels, box);
    };
    index_t first = 0;
    for (const CopyBox& box : cover_.boxes) {
        const index_t count = box.size();
        const index_t from = std::max(begin - first, index_t{0});
        const index_t to = std::min(end - first, count);
        if (to - from == count) {
            copy(box);
        } else if (from < to) {
            const copy_box::Cut cut(box);
            copy_box::visit(box, 0, cut.count, cut.position(from), cut.position(to), copy);
        }
        first += count;
    }
    if (moves_.streaming) moves_.kernels.finish_streams();
}

/// Copies through addresses, block by block.
void CopyPlan::run_streams(index_t begin, index_t end) const {
    std::array<index_t, kAddresses> in;
    std::array<index_t, kAddresses> out;
    for (; begin < end; begin += kAddresses) {
        const index_t count = std::min(kAddresses, end - begin);
        const auto some = static_cast<std::size_t>(count);
        from_stream_->read(begin, std::span(in).first(some));
        to_stream_->read(begin, std::span(out).first(some));
        moves_.kernels.copy_indexed(moves_.element_bytes, from_, from_stride_, in.data(), to_,
                                    to_stride_, out.data(), count, moves_.far, false);
        if (!boolean_) continue;
        for (const index_t address : std::span(out).first(some)) {
            std::byte& value = to_[address * to_stride_];
            value = static_cast<std::byte>(value != std::byte{0});
        }
    }
}

CopyForm copy_form(const Operand& source, const Operand& destination) {
    const Leaf& from = *leaf_of(source);
    const Leaf& to = *leaf_of(destination);
    const Dimensions& dims = destination.dims;
    const DType dtype = to.dtype();
    const index_t bytes = dims.size() * dtype.size_bytes();
    if (bytes == 0 || !from.memory() || !to.writable_memory() || from.dtype() != dtype ||
        !is_of_words(dtype))
        return CopyForm::none;
    if (bytes < kStreamedBytes && dtype != boolean && is_line(from.memory(), dtype, source.dims) &&
        is_line(to.writable_memory(), dtype, dims) && !has_files_mapped_twice())
        return CopyForm::move;
    if (!is_a_word(dtype)) return CopyForm::none;
    // Where elements of the destination share an address, the last one is to be kept, but a copy
    // has no order.
    for (std::size_t axis = 0; axis < dims.strides().size(); ++axis)
        if (dims.strides()[axis] == 0 && dims.max_shape()[axis] > 1) return CopyForm::none;
    if (&from == &to && source.dims == dims) return CopyForm::same;
    return depends_on(source, destination) ? CopyForm::none : CopyForm::plan;
}

void move_leaf(const Operand& source, const Operand& destination) {
    const MutableMemoryView to = leaf_of(destination)->writable_memory();
    const index_t size = destination.dtype().size_bytes();
    std::memmove(static_cast<std::byte*>(to.data) + destination.dims.base() * size,
                 element_of(*leaf_of(source), source.dims.base()),
                 static_cast<std::size_t>(destination.dims.size() * size));
}

void CopyPlan::run() const {
    constexpr index_t kPart = index_t{1} << 18;
    const auto size = static_cast<index_t>(moves_.element_bytes);
    parallel_for(size_, kPart / size,
                 worthwhile_threads(costs::kCopiedByte * static_cast<double>(size_ * size)),
                 [&](index_t begin, index_t end) { run(begin, end); });
}

} // namespace purview::engine
