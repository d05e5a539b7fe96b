#pragma once

#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace purview {

/// The memory of sparse pairs: ascending indexes and their values, side by side, of its own with room to grow,
/// or of others, or shared with others by who owns it; then it is copied before it would be written. Indexes of others may
/// be packed: read through a reader. What a `SparseBuffer` is made of.
template <ElementType T>
class SparseStore {
public:
    index_t stored() const noexcept { return stored_; }
    bool is_packed() const noexcept { return stored_ > 0 && indexes_ == nullptr; }
    /// Of those that are not packed.
    std::span<const index_t> indexes() const noexcept {
        return {indexes_, indexes_ == nullptr ? 0 : static_cast<std::size_t>(stored_)};
    }
    index_t index(index_t position) const {
        return is_packed() ? index_owner_->read(position) : indexes_[position];
    }
    /// How many are less than `index`; those before `from` are known to be.
    index_t position(index_t index, index_t from = 0) const noexcept {
        return is_packed() ? packed_position(*index_owner_, index)
                           : sparse_position(indexes(), index, from);
    }
    /// Calls `f(position, index)` for those at [from, to).
    template <typename F>
    void each_index(index_t from, index_t to, F&& f) const {
        if (!is_packed()) {
            for (index_t p = from; p < to; ++p) f(p, indexes_[p]);
            return;
        }
        index_t block[kBlock];
        for (index_t begin = from; begin < to; begin += kBlock) {
            const index_t count = to - begin < kBlock ? to - begin : kBlock;
            index_owner_->read_block(begin, 1, {block, static_cast<std::size_t>(count)});
            for (index_t i = 0; i < count; ++i) f(begin + i, block[i]);
        }
    }
    T value(index_t position) const { return load_element<T>(values_ + position * value_stride_); }
    /// Of the values; no memory of anybody where nothing is stored.
    MemoryView values() const noexcept { return {values_, value_stride_}; }
    const ReaderPtr<index_t>& index_memory() const noexcept { return index_owner_; }
    const ReaderPtr<T>& value_memory() const noexcept { return value_owner_; }

    /// The first `stored` of memory of its own.
    void adopt(BufferPtr<index_t> indexes, BufferPtr<T> values, index_t stored) {
        capacity_ = indexes->size() < values->size() ? indexes->size() : values->size();
        take(std::move(indexes), std::move(values), stored);
    }
    /// All of the memory of others: values at any stride, indexes in any way.
    void share(ReaderPtr<index_t> indexes, ReaderPtr<T> values) {
        const index_t stored = indexes->size();
        capacity_ = 0;
        take(std::move(indexes), std::move(values), stored);
    }
    /// Packed indexes become a list of its own.
    void unpack() {
        if (is_packed()) rebuild(0, 0, 0, stored_);
    }

    /// For writing, once there is room or a gap.
    index_t* own_indexes() noexcept { return const_cast<index_t*>(indexes_); }
    T* own_values() noexcept { return reinterpret_cast<T*>(const_cast<std::byte*>(values_)); }
    /// How many of its own are used: those behind are constructed, and free.
    void set_stored(index_t stored) noexcept { stored_ = stored; }

    /// Memory of its own with room for `capacity` pairs.
    void reserve(index_t capacity) {
        if (capacity > capacity_) rebuild(0, 0, 0, capacity);
    }
    /// A gap for `count` pairs in the place of those at [from, to), in memory of its own. Whoever asks fills it.
    void make_gap(index_t from, index_t to, index_t count);

private:
    /// Whether anybody else would see a write, and perhaps only half of it.
    bool is_shared() const noexcept {
        return capacity_ == 0 || index_owner_.use_count() > 1 || value_owner_.use_count() > 1;
    }
    void take(ReaderPtr<index_t> indexes, ReaderPtr<T> values, index_t stored) {
        stored_ = stored;
        const MemoryView list = indexes->memory();
        const bool is_list = list && list.stride_bytes == static_cast<index_t>(sizeof(index_t)) &&
                             reinterpret_cast<std::uintptr_t>(list.data) % alignof(index_t) == 0;
        indexes_ = is_list ? static_cast<const index_t*>(list.data) : nullptr;
        values_ = static_cast<const std::byte*>(values->memory().data);
        value_stride_ = values->memory().stride_bytes;
        index_owner_ = std::move(indexes);
        value_owner_ = std::move(values);
    }
    static constexpr index_t kBlock = 512;
    void rebuild(index_t from, index_t to, index_t gap, index_t capacity);

    index_t stored_ = 0;
    index_t capacity_ = 0; ///< of memory of its own; 0: that of others, or none
    const index_t* indexes_ = nullptr;
    const std::byte* values_ = static_cast<const std::byte*>(empty_memory());
    index_t value_stride_ = sizeof(T);
    ReaderPtr<index_t> index_owner_;
    ReaderPtr<T> value_owner_;
};

template <ElementType T>
void SparseStore<T>::rebuild(index_t from, index_t to, index_t gap, index_t capacity) {
    const index_t total = stored_ - (to - from) + gap;
    capacity = capacity < total ? total : capacity;
    BufferPtr<index_t> indexes = allocate_uninitialized_buffer<index_t>(capacity);
    BufferPtr<T> values = allocate_uninitialized_buffer<T>(capacity);
    auto* const new_indexes = static_cast<index_t*>(indexes->writable_memory().data);
    auto* const new_values = static_cast<T*>(values->writable_memory().data);
    const auto copy = [&](index_t begin, index_t end, index_t place) {
        each_index(begin, end, [&](index_t p, index_t index) {
            new_indexes[place] = index;
            new_values[place++] = value(p);
        });
    };
    copy(0, from, 0);
    copy(to, stored_, from + gap);
    adopt(std::move(indexes), std::move(values), total);
}

template <ElementType T>
void SparseStore<T>::make_gap(index_t from, index_t to, index_t count) {
    const index_t total = stored_ - (to - from) + count;
    if (total > capacity_ || is_shared()) {
        const index_t grown = stored_ + stored_ / 2 + 8;
        return rebuild(from, to, count, total > grown || count == 0 ? total : grown);
    }
    index_t* const indexes = own_indexes();
    T* const values = own_values();
    if (from + count < to) {
        for (index_t p = to, place = from + count; p < stored_; ++p, ++place) {
            indexes[place] = indexes[p];
            values[place] = std::move(values[p]);
        }
    } else if (from + count > to) {
        for (index_t p = stored_ - 1, place = total - 1; p >= to; --p, --place) {
            indexes[place] = indexes[p];
            values[place] = std::move(values[p]);
        }
    }
    stored_ = total;
}

} // namespace purview
