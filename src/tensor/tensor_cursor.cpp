#include <purview/tensor/tensor_cursor.hpp>

#include "dtype/element_block.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kGrowthFactor = 8;

/// How many elements the block at `position` has after one of `count` that was read to its end. A walk that has come far
/// computes as many ahead as lie behind it: starting a block takes as long as 75 elements.
index_t grown_block(index_t count, index_t position, index_t element_bytes) {
    constexpr index_t kBytes = 16384;
    constexpr index_t kElements = 2048;
    constexpr index_t kElementsAtFirst = 512;
    const index_t most = std::clamp(kBytes / element_bytes, index_t{1}, kElements);
    return std::min({count * kGrowthFactor, std::max(kElementsAtFirst, position), most});
}

} // namespace

MemoryView memory_at_one_stride(const Operand& operand, bool writable) {
    const Leaf* const leaf = leaf_of(operand);
    const Dimensions& dims = operand.dims;
    if (leaf == nullptr || !leaf->memory()) return {};
    const bool contiguous = dims.is_contiguous();
    if (!contiguous && !(dims.rank() == 1 && dims.is_strided())) return {};
    if (writable && !(leaf->writable_memory() && dims.is_unique())) return {};
    const index_t stride_bytes = leaf->memory().stride_bytes;
    const index_t first = dims.size() > 0 ? dims.base() : 0;
    return {static_cast<const std::byte*>(leaf->memory().data) + first * stride_bytes,
            stride_bytes * (contiguous ? 1 : dims.strides()[0])};
}

TensorCursor::TensorCursor(const Operand& operand, MakeReader* make_reader)
    : operand_(operand), leaf_(leaf_of(operand_)) {
    if (leaf_ == nullptr && make_reader != nullptr)
        reader_ = make_reader(operand_);
    else if (leaf_ == nullptr)
        evaluation_.emplace(operand_);
    // Only references are written through: whether elements share an address may take a look at all.
    writable_ = make_reader != nullptr && leaf_ != nullptr && leaf_->writer() != nullptr &&
                operand_.dims.is_unique();
}

TensorCursor::~TensorCursor() = default;

void TensorCursor::read(index_t begin, index_t count, void* out) const {
    evaluation_->read(begin, count, out);
}

void intrusive_ptr_add_ref(const TensorCursor* cursor) noexcept { cursor->references_.add(); }
void intrusive_ptr_release(const TensorCursor* cursor) noexcept {
    if (cursor->references_.drop()) delete cursor;
}

ElementsAhead::ElementsAhead(IntrusivePointer<const TensorCursor> cursor, index_t begin,
                             index_t count, index_t room)
    : cursor_(std::move(cursor)),
      block_(new ElementBlock(cursor_->dtype(), room)),
      values_(block_->at(0)),
      begin_(begin),
      count_(count),
      room_(room) {}

ElementsAhead::~ElementsAhead() = default;

const ElementsAhead* ElementsAhead::at(const Operand& operand, index_t position) {
    IntrusivePointer<const TensorCursor> cursor(new TensorCursor(operand, nullptr), false);
    const index_t size = cursor->size();
    if (!cursor->is_computed()) return new ElementsAhead(std::move(cursor), 0, size, 0);
    const index_t ahead = position < size ? 1 : 0;
    return new ElementsAhead(std::move(cursor), position, ahead, ahead);
}

const ElementsAhead* ElementsAhead::after(const ElementsAhead* now, index_t position) noexcept {
    const bool follows = position == now->begin_ + now->computed_.load(std::memory_order_acquire);
    const index_t left = now->cursor_->size() - position;
    index_t count = 1;
    if (follows) count = grown_block(now->count_, position, now->cursor_->dtype().size_bytes());
    if (count > left) count = left;
    if (count <= 0 || position < 0) return now; // at the end, where there are no elements
    if (count <= now->room_ && !now->references_.is_shared()) {
        auto* const mine = const_cast<ElementsAhead*>(now);
        mine->begin_ = position;
        mine->count_ = count;
        mine->computed_.store(0, std::memory_order_relaxed);
        mine->begun_.store(false, std::memory_order_relaxed);
        return now;
    }
    try {
        const auto* const next = new ElementsAhead(now->cursor_, position, count, count);
        intrusive_ptr_release(now);
        return next;
    } catch (...) { // out of memory: elements are computed one by one
        return now;
    }
}

void ElementsAhead::read(index_t position, void* out) const {
    if (!is_behind(position) && !begun_.exchange(true)) {
        try {
            cursor_->read(begin_, count_, block_->data());
            computed_.store(count_, std::memory_order_release);
        } catch (...) {
            // Possibly because of an element that nobody reads: all are computed one by one.
        }
    }
    if (is_among(position, computed_.load(std::memory_order_acquire)))
        cursor_->dtype().descriptor().copy(block_->at(position - begin_), out, 1);
    else
        cursor_->read(position, 1, out);
}

void intrusive_ptr_add_ref(const ElementsAhead* ahead) noexcept { ahead->references_.add(); }
void intrusive_ptr_release(const ElementsAhead* ahead) noexcept {
    if (ahead->references_.drop()) delete ahead;
}

} // namespace purview
