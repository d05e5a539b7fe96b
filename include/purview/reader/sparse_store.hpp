#pragma once

#include <purview/base/move_elements.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace purview {

/// An edit: sets the element `index` to entry `position` of a list of values, or, if `position` is
/// negative, to the fill.
struct SparseEdit {
    index_t index;
    index_t position;

    bool removes() const noexcept { return position < 0; }
};

/// The memory of sparse pairs: ascending indexes and their values. Either its own memory with room
/// to grow; or foreign memory, or memory shared with other owners, which is copied before it would
/// be written. Foreign indexes may be packed, which means they are read through a reader. Used by
/// `SparseBuffer`.
template <ElementType T>
class SparseStore {
public:
    index_t stored() const noexcept { return stored_; }
    bool is_packed() const noexcept { return stored_ > 0 && indexes_ == nullptr; }
    /// The indexes, if they are not packed; else empty.
    std::span<const index_t> indexes() const noexcept {
        return {indexes_, indexes_ == nullptr ? 0 : static_cast<std::size_t>(stored_)};
    }
    index_t index(index_t position) const {
        return is_packed() ? index_owner_->read(position) : indexes_[position];
    }
    /// How many indexes are less than `index`, given that all before position `from` are.
    index_t position(index_t index, index_t from = 0) const noexcept {
        return is_packed() ? packed_position(*index_owner_, index)
                           : sparse_position(indexes(), index, from);
    }
    /// Calls `f(position, index)` for the stored pairs at positions [from, to).
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
    /// Whether the value at a position is the same as `other`; 0 and -0 differ.
    bool is_value(index_t position, const T& other) const {
        if constexpr (std::floating_point<T>)
            return same_element(value(position), other) &&
                   (!(other == T{}) ||
                    __builtin_signbit(value(position)) == __builtin_signbit(other));
        else if constexpr (std::is_trivially_copyable_v<T>)
            return same_element(value(position), other);
        else
            return same_element(*reinterpret_cast<const T*>(values_ + position * value_stride_),
                                other);
    }
    /// The memory of the values. If nothing is stored, it refers to no owner's memory.
    MemoryView values() const noexcept { return {values_, value_stride_}; }
    const ReaderPtr<index_t>& index_memory() const noexcept { return index_owner_; }
    const ReaderPtr<T>& value_memory() const noexcept { return value_owner_; }

    /// Takes over the first `stored` entries of new buffers. Copies them if the buffers are much
    /// longer.
    void adopt(BufferPtr<index_t> indexes, BufferPtr<T> values, index_t stored) {
        capacity_ = indexes->size() < values->size() ? indexes->size() : values->size();
        take(std::move(indexes), std::move(values), stored);
        if (!has_fitting_room(stored)) replace(0, 0, 0, [](index_t*, T*) noexcept {});
    }
    /// Shares all of the given memory: values at any stride, indexes as a list, strided or packed.
    void share(ReaderPtr<index_t> indexes, ReaderPtr<T> values) {
        const index_t stored = indexes->size();
        capacity_ = 0;
        take(std::move(indexes), std::move(values), stored);
    }
    /// Whether some of `values` lie in the memory of this store.
    bool aliases(std::span<const T> values) const noexcept;

    // Strong exception guarantee: each of these functions does everything or, if something throws,
    // nothing.

    /// Replaces the pairs at positions [from, to) by `count` new ones, which
    /// `assign(indexes, values)` writes. Memory of its own then has room to grow, but for not much
    /// more than twice what is stored.
    template <typename F>
    void replace(index_t from, index_t to, index_t count, F&& assign);
    /// Applies edits, whose indexes ascend without repeats; `values`, which must not lie in this
    /// store, are the list they refer to.
    void merge(std::span<const SparseEdit> edits, std::span<const T> values);
    /// Keeps only the pairs at `positions`, which ascend.
    void keep(std::span<const index_t> positions);

private:
    /// Whether elements can be moved within the memory without throwing, and removed ones can be
    /// destroyed or reset at once. Otherwise a change writes to new memory.
    static constexpr bool kMovesInPlace =
        std::is_nothrow_move_assignable_v<T> &&
        (std::is_trivially_destructible_v<T> || std::is_nothrow_default_constructible_v<T>);
    static constexpr index_t kBlock = 512;
    static constexpr index_t kFewPairs = 64;

    struct Memory {
        explicit Memory(index_t capacity)
            : index_buffer(allocate_uninitialized_buffer<index_t>(capacity)),
              value_buffer(allocate_uninitialized_buffer<T>(capacity)),
              indexes(static_cast<index_t*>(index_buffer->writable_memory().data)),
              values(static_cast<T*>(value_buffer->writable_memory().data)) {}

        BufferPtr<index_t> index_buffer;
        BufferPtr<T> value_buffer;
        index_t* indexes;
        T* values;
    };

    /// Whether somebody else could see a write to the memory.
    bool is_shared() const noexcept {
        return capacity_ == 0 || index_owner_.use_count() > 1 || value_owner_.use_count() > 1;
    }
    bool has_fitting_room(index_t stored) const noexcept {
        return stored <= capacity_ && capacity_ - stored <= stored + kFewPairs;
    }
    bool can_change_in_place(index_t stored) const noexcept {
        return kMovesInPlace && !is_shared() && has_fitting_room(stored);
    }
    /// The capacity for `stored` pairs: with room to grow if the store grows by little, as it will
    /// probably grow again.
    index_t room_for(index_t stored) const noexcept {
        const index_t grown = stored_ + stored_ / 2 + 8;
        return stored <= stored_ || stored > grown ? stored : grown;
    }
    /// The memory for writing. Precondition: it is this store's own.
    index_t* own_indexes() noexcept { return const_cast<index_t*>(indexes_); }
    T* own_values() noexcept { return reinterpret_cast<T*>(const_cast<std::byte*>(values_)); }

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
    void adopt(Memory memory, index_t stored) noexcept {
        capacity_ = memory.index_buffer->size();
        take(std::move(memory.index_buffer), std::move(memory.value_buffer), stored);
    }
    /// Transfers the pairs at [begin, end) to `place` of other memory: moved if nobody else owns
    /// them and moving cannot throw, else copied.
    void transfer(index_t begin, index_t end, const Memory& memory, index_t place);
    /// Resets the elements at [begin, end), which are not stored any more, so that they hold no
    /// resources.
    void reset_elements(index_t begin, index_t end) noexcept;
    /// Moves pairs so that those at [from, to) become a gap for `count` pairs.
    void open_gap(index_t from, index_t to, index_t count) noexcept;
    /// Calls `f(edit, position, is_stored)` for each edit; `position` is the number of stored pairs
    /// before its index.
    template <typename F>
    void each_edit(std::span<const SparseEdit> edits, F&& f) const;
    /// Removes the pairs whose edits set the fill; the others keep their order.
    void drop(std::span<const SparseEdit> edits) noexcept;
    /// Applies edits that set a value; `total` pairs result. `take_value(edit)` must not throw.
    template <typename F>
    void insert(std::span<const SparseEdit> edits, index_t total, F&& take_value) noexcept;

    index_t stored_ = 0;
    index_t capacity_ = 0; ///< of its own memory; 0 if the memory is foreign, or there is none
    const index_t* indexes_ = nullptr;
    const std::byte* values_ = static_cast<const std::byte*>(empty_memory());
    index_t value_stride_ = sizeof(T);
    ReaderPtr<index_t> index_owner_;
    ReaderPtr<T> value_owner_;
};

template <ElementType T>
bool SparseStore<T>::aliases(std::span<const T> values) const noexcept {
    if (stored_ == 0 || values.empty()) return false;
    const std::byte* const last = values_ + (stored_ - 1) * value_stride_;
    const bool descends = value_stride_ < 0;
    const auto low = reinterpret_cast<std::uintptr_t>(descends ? last : values_);
    const auto high = reinterpret_cast<std::uintptr_t>(descends ? values_ : last);
    const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
    return low < begin + values.size_bytes() && begin < high + sizeof(T);
}

template <ElementType T>
void SparseStore<T>::transfer(index_t begin, index_t end, const Memory& memory, index_t place) {
    if constexpr (std::is_nothrow_move_assignable_v<T>) {
        if (!is_shared()) {
            move_elements(indexes_ + begin, indexes_ + end, memory.indexes + place);
            move_elements(own_values() + begin, own_values() + end, memory.values + place);
            return;
        }
    }
    each_index(begin, end, [&](index_t p, index_t index) {
        memory.indexes[place] = index;
        memory.values[place++] = value(p);
    });
}

template <ElementType T>
void SparseStore<T>::reset_elements(index_t begin, index_t end) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>)
        for (index_t p = begin; p < end; ++p) own_values()[p] = T{};
}

template <ElementType T>
void SparseStore<T>::open_gap(index_t from, index_t to, index_t count) noexcept {
    index_t* const indexes = own_indexes();
    T* const values = own_values();
    const index_t total = stored_ - (to - from) + count;
    if (from + count != to) {
        move_elements(indexes + to, indexes + stored_, indexes + from + count);
        move_elements(values + to, values + stored_, values + from + count);
    }
    reset_elements(total, stored_);
    stored_ = total;
}

template <ElementType T>
template <typename F>
void SparseStore<T>::replace(index_t from, index_t to, index_t count, F&& assign) {
    const index_t total = stored_ - (to - from) + count;
    if (!can_change_in_place(total)) {
        Memory memory(room_for(total));
        assign(memory.indexes + from, memory.values + from); // first, because it may throw, and
                                                             // nothing has been moved yet
        transfer(0, from, memory, 0);
        transfer(to, stored_, memory, from + count);
        return adopt(std::move(memory), total);
    }
    if constexpr (kMovesInPlace) {
        if constexpr (std::is_nothrow_invocable_v<F&, index_t*, T*>) {
            open_gap(from, to, count);
            assign(own_indexes() + from, own_values() + from);
        } else {
            const Memory memory(count);
            assign(memory.indexes, memory.values);
            open_gap(from, to, count);
            move_elements(memory.indexes, memory.indexes + count, own_indexes() + from);
            move_elements(memory.values, memory.values + count, own_values() + from);
        }
    }
}

template <ElementType T>
void SparseStore<T>::keep(std::span<const index_t> positions) {
    Memory memory(std::ssize(positions));
    std::size_t next = 0;
    each_index(0, stored_, [&](index_t p, index_t index) {
        if (next == positions.size() || positions[next] != p) return;
        memory.indexes[next] = index;
        memory.values[next++] = value(p);
    });
    adopt(std::move(memory), std::ssize(positions));
}

template <ElementType T>
template <typename F>
void SparseStore<T>::each_edit(std::span<const SparseEdit> edits, F&& f) const {
    index_t at = 0;
    for (const SparseEdit& edit : edits) {
        at = position(edit.index, at);
        f(edit, at, at < stored_ && indexes_[at] == edit.index);
    }
}

template <ElementType T>
void SparseStore<T>::drop(std::span<const SparseEdit> edits) noexcept {
    index_t kept = 0; // pairs that have reached their place
    index_t next = 0; // the first pair not yet considered
    const auto keep_until = [&](index_t end) {
        if (kept != next) {
            move_elements(indexes_ + next, indexes_ + end, own_indexes() + kept);
            move_elements(own_values() + next, own_values() + end, own_values() + kept);
        }
        kept += end - next;
    };
    // Pairs from `next` on stay where they are until they are considered, so that `position` still
    // finds them.
    for (const SparseEdit& edit : edits) {
        const index_t at = position(edit.index, next);
        if (!edit.removes() || at == stored_ || indexes_[at] != edit.index) continue;
        keep_until(at);
        next = at + 1;
    }
    keep_until(stored_);
    stored_ = kept;
}

template <ElementType T>
template <typename F>
void SparseStore<T>::insert(std::span<const SparseEdit> edits, index_t total,
                            F&& take_value) noexcept {
    // Backwards, so that no pair is overwritten before it has moved. Pairs before the first new
    // index stay.
    index_t place = total;
    index_t own = stored_;
    for (std::size_t i = edits.size(); i-- > 0;) {
        const SparseEdit& edit = edits[i];
        if (edit.removes()) continue;
        const index_t at = sparse_position({indexes_, static_cast<std::size_t>(own)}, edit.index);
        const index_t behind = at < own && indexes_[at] == edit.index ? at + 1 : at;
        if (place != own) {
            const index_t first = place - (own - behind);
            move_elements(indexes_ + behind, indexes_ + own, own_indexes() + first);
            move_elements(own_values() + behind, own_values() + own, own_values() + first);
        }
        place -= own - behind + 1;
        own_indexes()[place] = edit.index;
        take_value(edit, own_values()[place]);
        own = at;
    }
    stored_ = total;
}

template <ElementType T>
void SparseStore<T>::merge(std::span<const SparseEdit> edits, std::span<const T> values) {
    if (is_packed()) { // this store stays as it was until all is done
        SparseStore list(*this);
        list.replace(0, 0, 0, [](index_t*, T*) noexcept {});
        list.merge(edits, values);
        *this = std::move(list);
        return;
    }
    index_t removed = 0;
    index_t added = 0;
    index_t set = 0;
    each_edit(edits, [&](const SparseEdit& edit, index_t, bool is_stored) {
        removed += edit.removes() && is_stored ? 1 : 0;
        added += !edit.removes() && !is_stored ? 1 : 0;
        set += edit.removes() ? 0 : 1;
    });
    const index_t total = stored_ - removed + added;
    const auto value_of = [&](const SparseEdit& edit) -> const T& {
        return values[static_cast<std::size_t>(edit.position)];
    };
    if (removed + set == 0) return;
    if (!can_change_in_place(total)) {
        Memory memory(room_for(total));
        index_t shift = 0;
        each_edit(edits, [&](const SparseEdit& edit, index_t at, bool is_stored) {
            if (!edit.removes()) {
                memory.indexes[at + shift] = edit.index;
                memory.values[at + shift] = value_of(edit);
            }
            shift += (edit.removes() ? 0 : 1) - (is_stored ? 1 : 0);
        });
        index_t next = 0;
        shift = 0;
        each_edit(edits, [&](const SparseEdit& edit, index_t at, bool is_stored) {
            transfer(next, at, memory, next + shift);
            shift += (edit.removes() ? 0 : 1) - (is_stored ? 1 : 0);
            next = at + (is_stored ? 1 : 0);
        });
        transfer(next, stored_, memory, next + shift);
        return adopt(std::move(memory), total);
    }
    if constexpr (kMovesInPlace) {
        const index_t before = stored_;
        if constexpr (std::is_nothrow_copy_assignable_v<T>) {
            if (removed > 0) drop(edits);
            insert(edits, total, [&](const SparseEdit& edit, T& out) { out = value_of(edit); });
        } else {
            const BufferPtr<T> copies = allocate_uninitialized_buffer<T>(set);
            T* copy = static_cast<T*>(copies->writable_memory().data);
            for (const SparseEdit& edit : edits)
                if (!edit.removes()) *copy++ = value_of(edit);
            if (removed > 0) drop(edits);
            insert(edits, total, [&](const SparseEdit&, T& out) { out = std::move(*--copy); });
        }
        reset_elements(total, before);
    }
}

} // namespace purview
