#include <purview/reader/sparse_store.hpp>

#include <cstdint>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kFewPairs = 64;

/// Copies one value of a type that is trivially copyable.
void copy_bytes(const std::byte* from, std::byte* to, index_t bytes) noexcept {
    switch (bytes) {
    case 1: *to = *from; return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    default: std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
}

/// Writes new pairs to memory. Throws what copying a value throws.
void write_pairs(const NewPairs& pairs, const TypeDescriptor& type, index_t* indexes,
                 std::byte* values) {
    const auto* const from = static_cast<const std::byte*>(pairs.values.data);
    for (index_t j = 0; j < pairs.count; ++j) {
        const index_t place = pairs.place(j);
        indexes[j] = pairs.first + place;
        const std::byte* const value = from + place * pairs.values.stride_bytes;
        if (type.trivial)
            copy_bytes(value, values, type.size);
        else
            type.copy(value, values, 1);
        values += type.size;
    }
}

} // namespace

/// New memory of its own for pairs.
struct SparseStore::Memory {
    Memory(const SparseValueType& type, index_t capacity)
        : index_buffer(allocate_uninitialized_buffer<index_t>(capacity)),
          value_buffer(type.allocate(capacity)),
          indexes(static_cast<index_t*>(index_buffer->writable_memory().data)),
          values(static_cast<std::byte*>(const_cast<void*>(value_buffer->memory().data))),
          bytes(type.dtype.size_bytes()) {}

    std::byte* value(index_t position) const noexcept { return values + position * bytes; }

    BufferPtr<index_t> index_buffer;
    std::shared_ptr<const AnyReader> value_buffer;
    index_t* indexes;
    std::byte* values;
    index_t bytes; ///< of a value
};

SparseStore::SparseStore(const SparseValueType& type) noexcept
    : type_(&type), stride_(type.dtype.size_bytes()) {}
SparseStore::SparseStore(const SparseStore&) = default;
SparseStore::SparseStore(SparseStore&&) noexcept = default;
SparseStore& SparseStore::operator=(SparseStore&&) noexcept = default;
SparseStore::~SparseStore() = default;

/// Whether somebody else could see a write to the memory.
bool SparseStore::is_shared() const noexcept {
    return capacity_ == 0 || index_owner_.use_count() > 1 || value_owner_.use_count() > 1;
}

bool SparseStore::has_fitting_room(index_t stored) const noexcept {
    return stored <= capacity_ && capacity_ - stored <= stored + kFewPairs;
}

/// Whether values can be moved within the memory without throwing, and removed ones reset at once.
/// Otherwise a change writes to new memory.
bool SparseStore::can_change_in_place(index_t stored) const noexcept {
    return (is_trivial() || type_->move != nullptr) && !is_shared() && has_fitting_room(stored);
}

/// The capacity for `stored` pairs: with room to grow if the store grows by little, as it will
/// probably grow again.
index_t SparseStore::room_for(index_t stored) const noexcept {
    const index_t grown = stored_ + stored_ / 2 + 8;
    return stored <= stored_ || stored > grown ? stored : grown;
}

/// The memory for writing. Precondition: it is this store's own.
std::byte* SparseStore::own_value(index_t position) noexcept {
    return const_cast<std::byte*>(values_ + position * stride_);
}

void SparseStore::take(ReaderPtr<index_t> indexes, std::shared_ptr<const AnyReader> values,
                       index_t stored) {
    stored_ = stored;
    const MemoryView list = indexes->memory();
    const bool is_list = list && list.stride_bytes == static_cast<index_t>(sizeof(index_t)) &&
                         reinterpret_cast<std::uintptr_t>(list.data) % alignof(index_t) == 0;
    indexes_ = is_list ? static_cast<const index_t*>(list.data) : nullptr;
    values_ = static_cast<const std::byte*>(values->memory().data);
    stride_ = values->memory().stride_bytes;
    index_owner_ = std::move(indexes);
    value_owner_ = std::move(values);
}

void SparseStore::adopt(Memory&& memory, index_t stored) noexcept {
    capacity_ = memory.index_buffer->size();
    take(std::move(memory.index_buffer), std::move(memory.value_buffer), stored);
}

void SparseStore::adopt(BufferPtr<index_t> indexes, std::shared_ptr<const AnyReader> values,
                        index_t stored) {
    capacity_ = indexes->size() < values->size() ? indexes->size() : values->size();
    take(std::move(indexes), std::move(values), stored);
    if (!has_fitting_room(stored)) replace(0, 0, {});
}

void SparseStore::share(ReaderPtr<index_t> indexes, std::shared_ptr<const AnyReader> values) {
    const index_t stored = indexes->size();
    capacity_ = 0;
    take(std::move(indexes), std::move(values), stored);
}

/// If some of `count` values lie in the memory of this store, which will change, lets `values` refer
/// to a copy, and returns its owner.
std::shared_ptr<const AnyReader> SparseStore::copy_if_own(const void*& values,
                                                          index_t count) const {
    if (stored_ == 0 || count == 0) return nullptr;
    const auto bytes = static_cast<std::uintptr_t>(type_->dtype.size_bytes());
    const auto first = reinterpret_cast<std::uintptr_t>(value(0));
    const auto last = reinterpret_cast<std::uintptr_t>(value(stored_ - 1));
    const auto begin = reinterpret_cast<std::uintptr_t>(values);
    const auto end = begin + static_cast<std::uintptr_t>(count) * bytes;
    if ((first < last ? first : last) >= end || begin >= (first < last ? last : first) + bytes)
        return nullptr;
    std::shared_ptr<const AnyReader> copy = type_->allocate(count);
    type_->dtype.descriptor().copy(values, const_cast<void*>(copy->memory().data), count);
    values = copy->memory().data;
    return copy;
}

/// Transfers the pairs at [begin, end) to `place` of other memory: moved if nobody else owns them
/// and moving cannot throw, else copied.
void SparseStore::transfer(index_t begin, index_t end, const Memory& memory, index_t place) {
    if (begin == end) return;
    const auto count = static_cast<std::size_t>(end - begin);
    if (is_packed())
        index_owner_->read_block(begin, 1, {memory.indexes + place, count});
    else
        std::memcpy(memory.indexes + place, indexes_ + begin, count * sizeof(index_t));
    if (type_->move != nullptr && !is_shared())
        type_->move(own_value(begin), own_value(end), memory.value(place));
    else
        value_owner_->read_into(begin, 1, end - begin, memory.value(place));
}

/// Moves the pairs [begin, end) of its own memory to position `to`.
void SparseStore::move_pairs(index_t begin, index_t end, index_t to) noexcept {
    if (begin == to || begin == end) return;
    const auto count = static_cast<std::size_t>(end - begin);
    std::memmove(own_indexes() + to, indexes_ + begin, count * sizeof(index_t));
    if (is_trivial())
        std::memmove(own_value(to), own_value(begin), count * static_cast<std::size_t>(stride_));
    else
        type_->move(own_value(begin), own_value(end), own_value(to));
}

/// Resets the values at [begin, end), which are not stored any more, so that they hold no resources.
void SparseStore::reset_values(index_t begin, index_t end) noexcept {
    if (is_trivial() || begin >= end) return;
    type_->dtype.descriptor().destroy(own_value(begin), end - begin);
    type_->dtype.descriptor().construct(own_value(begin), end - begin);
}

/// Moves pairs so that those at [from, to) become a gap for `count` pairs.
void SparseStore::open_gap(index_t from, index_t to, index_t count) noexcept {
    const index_t total = stored_ - (to - from) + count;
    move_pairs(to, stored_, from + count);
    reset_values(total, stored_);
    stored_ = total;
}

void SparseStore::replace(index_t from, index_t to, const NewPairs& given) {
    NewPairs pairs = given;
    const index_t places = pairs.count == 0 ? 0 : pairs.place(pairs.count - 1) + 1;
    const auto copy =
        copy_if_own(pairs.values.data, pairs.values.stride_bytes == 0 ? pairs.count > 0 : places);
    const TypeDescriptor& type = type_->dtype.descriptor();
    const index_t total = stored_ - (to - from) + pairs.count;
    if (!can_change_in_place(total)) {
        Memory memory(*type_, room_for(total));
        // First, because it may throw, and nothing has been moved yet.
        write_pairs(pairs, type, memory.indexes + from, memory.value(from));
        transfer(0, from, memory, 0);
        transfer(to, stored_, memory, from + pairs.count);
        adopt(std::move(memory), total);
    } else if (is_trivial() || pairs.count == 0) {
        open_gap(from, to, pairs.count);
        write_pairs(pairs, type, own_indexes() + from, own_value(from));
    } else {
        const Memory memory(*type_, pairs.count);
        write_pairs(pairs, type, memory.indexes, memory.values);
        open_gap(from, to, pairs.count);
        std::memcpy(own_indexes() + from, memory.indexes,
                    static_cast<std::size_t>(pairs.count) * sizeof(index_t));
        type_->move(memory.values, memory.value(pairs.count), own_value(from));
    }
}

void SparseStore::keep(std::span<const index_t> positions) {
    Memory memory(*type_, std::ssize(positions));
    std::size_t next = 0;
    each_index(0, stored_, [&](index_t p, index_t index) {
        if (next < positions.size() && positions[next] == p) memory.indexes[next++] = index;
    });
    if (!positions.empty()) value_owner_->gather_into(positions, memory.values);
    adopt(std::move(memory), std::ssize(positions));
}

/// Calls `f(edit, position, is_stored)` for each edit; `position` is the number of stored pairs
/// before its index.
template <typename F>
void SparseStore::each_edit(std::span<const SparseEdit> edits, F&& f) const {
    index_t at = 0;
    for (const SparseEdit& edit : edits) {
        at = position(edit.index, at);
        f(edit, at, at < stored_ && indexes_[at] == edit.index);
    }
}

/// Removes the pairs whose edits set the fill; the others keep their order.
void SparseStore::drop(std::span<const SparseEdit> edits) noexcept {
    index_t kept = 0; // pairs that have reached their place
    index_t next = 0; // the first pair not yet considered
    const auto keep_until = [&](index_t end) {
        move_pairs(next, end, kept);
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

/// Applies edits that set a value; `total` pairs result. The value of an edit is the one at its
/// position of `values`; or, where there are copies of those that are set, it is moved from there.
void SparseStore::insert(std::span<const SparseEdit> edits, index_t total, const std::byte* values,
                         std::byte* end_of_copies) noexcept {
    // Backwards, so that no pair is overwritten before it has moved. Pairs before the first new
    // index stay.
    index_t place = total;
    index_t own = stored_;
    for (std::size_t i = edits.size(); i-- > 0;) {
        const SparseEdit& edit = edits[i];
        if (edit.removes()) continue;
        const index_t at = sparse_position({indexes_, static_cast<std::size_t>(own)}, edit.index);
        const index_t behind = at < own && indexes_[at] == edit.index ? at + 1 : at;
        move_pairs(behind, own, place - (own - behind));
        place -= own - behind + 1;
        own_indexes()[place] = edit.index;
        if (end_of_copies == nullptr) {
            copy_bytes(values + edit.position * stride_, own_value(place), stride_);
        } else {
            type_->move(end_of_copies - stride_, end_of_copies, own_value(place));
            end_of_copies -= stride_;
        }
        own = at;
    }
    stored_ = total;
}

void SparseStore::merge(std::span<const SparseEdit> edits, const void* values, index_t count) {
    if (is_packed()) { // this store stays as it was until all is done
        SparseStore list(*this);
        list.replace(0, 0, {});
        list.merge(edits, values, count);
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
    if (removed + set == 0) return;
    const auto copy = copy_if_own(values, count);
    const auto* const list = static_cast<const std::byte*>(values);
    const TypeDescriptor& type = type_->dtype.descriptor();
    const index_t total = stored_ - removed + added;
    const auto set_value = [&](const SparseEdit& edit, std::byte* out) {
        const std::byte* const value = list + edit.position * type_->dtype.size_bytes();
        is_trivial() ? copy_bytes(value, out, type.size) : type.copy(value, out, 1);
    };
    if (!can_change_in_place(total)) {
        Memory memory(*type_, room_for(total));
        index_t shift = 0;
        each_edit(edits, [&](const SparseEdit& edit, index_t at, bool is_stored) {
            if (!edit.removes()) {
                memory.indexes[at + shift] = edit.index;
                set_value(edit, memory.value(at + shift));
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
    const index_t before = stored_;
    if (is_trivial()) {
        if (removed > 0) drop(edits);
        insert(edits, total, list, nullptr);
        return;
    }
    const Memory copies(*type_, set);
    std::byte* end = copies.values;
    for (const SparseEdit& edit : edits) {
        if (edit.removes()) continue;
        set_value(edit, end);
        end += copies.bytes;
    }
    if (removed > 0) drop(edits);
    insert(edits, total, list, end);
    reset_values(total, before);
}

} // namespace purview
