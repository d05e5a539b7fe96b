#pragma once

#include <purview/base/move_elements.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// An edit: sets the element `index` to entry `position` of a list of values, or, if `position` is
/// negative, to the fill.
struct SparseEdit {
    index_t index;
    index_t position;

    bool removes() const noexcept { return position < 0; }
};

/// Pairs to store: pair j has the index `first + place(j)` and the value at `place(j)` of `values`.
struct NewPairs {
    index_t first;
    index_t count;
    MemoryView values;               ///< aligned; the stride is that of a list, or 0
    const index_t* places = nullptr; ///< ascending; null: pair j has the place j

    index_t place(index_t j) const noexcept { return places == nullptr ? j : places[j]; }
};

/// The type of the values of a `SparseStore`.
struct SparseValueType {
    DType dtype;
    /// A buffer for `count` values, uninitialised.
    std::shared_ptr<const AnyReader> (*allocate)(index_t count);
    /// Moves the values [begin, end) to `to`; both may overlap. Null for types that are moved as
    /// bytes, and for those that cannot be moved or replaced by default values without throwing.
    void (*move)(void* begin, void* end, void* to) noexcept;
};

template <ElementType T>
struct SparseValues {
    static std::shared_ptr<const AnyReader> allocate(index_t count) {
        return allocate_uninitialized_buffer<T>(count);
    }
    static void move(void* begin, void* end, void* to) noexcept {
        move_elements(static_cast<T*>(begin), static_cast<T*>(end), static_cast<T*>(to));
    }
    static constexpr auto mover() -> void (*)(void*, void*, void*) noexcept {
        if constexpr (!std::is_trivially_copyable_v<T> && std::is_nothrow_move_assignable_v<T> &&
                      std::is_nothrow_default_constructible_v<T>)
            return &move;
        else
            return nullptr;
    }
    static constexpr SparseValueType type{kDType<T>, &allocate, mover()};
};

/// The memory of sparse pairs: ascending indexes and their values. Either its own memory with room
/// to grow; or foreign memory, or memory shared with other owners, which is copied before it would
/// be written. Foreign indexes may be packed, which means they are read through a reader. Used by
/// `SparseBuffer`.
class PURVIEW_EXPORT SparseStore {
public:
    explicit SparseStore(const SparseValueType& type) noexcept;
    SparseStore(const SparseStore&);
    SparseStore(SparseStore&&) noexcept;
    SparseStore& operator=(SparseStore&&) noexcept;
    ~SparseStore();

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
    const void* value(index_t position) const noexcept { return values_ + position * stride_; }
    /// The memory of the values. If nothing is stored, it refers to no owner's memory.
    MemoryView values() const noexcept { return {values_, stride_}; }
    const ReaderPtr<index_t>& index_memory() const noexcept { return index_owner_; }
    const std::shared_ptr<const AnyReader>& value_memory() const noexcept { return value_owner_; }

    /// Takes over the first `stored` entries of new buffers. Copies them if the buffers are much
    /// longer.
    void adopt(BufferPtr<index_t> indexes, std::shared_ptr<const AnyReader> values, index_t stored);
    /// Shares all of the given memory: values at any stride, indexes as a list, strided or packed.
    void share(ReaderPtr<index_t> indexes, std::shared_ptr<const AnyReader> values);

    // Strong exception guarantee: each of these functions does everything or, if something throws,
    // nothing. Values that are given may lie in this store.

    /// Replaces the pairs at positions [from, to) by new ones. Memory of its own then has room to
    /// grow, but for not much more than twice what is stored.
    void replace(index_t from, index_t to, const NewPairs& pairs);
    /// Applies edits, whose indexes ascend without repeats, and which refer to a list of `count`
    /// values.
    void merge(std::span<const SparseEdit> edits, const void* values, index_t count);
    /// Keeps only the pairs at `positions`, which ascend.
    void keep(std::span<const index_t> positions);

private:
    static constexpr index_t kBlock = 512;

    struct Memory;

    bool is_trivial() const noexcept { return type_->dtype.descriptor().trivial; }
    bool is_shared() const noexcept;
    bool has_fitting_room(index_t stored) const noexcept;
    bool can_change_in_place(index_t stored) const noexcept;
    index_t room_for(index_t stored) const noexcept;
    index_t* own_indexes() noexcept { return const_cast<index_t*>(indexes_); }
    std::byte* own_value(index_t position) noexcept;
    void take(ReaderPtr<index_t> indexes, std::shared_ptr<const AnyReader> values, index_t stored);
    void adopt(Memory&& memory, index_t stored) noexcept;
    std::shared_ptr<const AnyReader> copy_if_own(const void*& values, index_t count) const;
    void transfer(index_t begin, index_t end, const Memory& memory, index_t place);
    void move_pairs(index_t begin, index_t end, index_t to) noexcept;
    void reset_values(index_t begin, index_t end) noexcept;
    void open_gap(index_t from, index_t to, index_t count) noexcept;
    template <typename F>
    void each_edit(std::span<const SparseEdit> edits, F&& f) const;
    void drop(std::span<const SparseEdit> edits) noexcept;
    void insert(std::span<const SparseEdit> edits, index_t total, const std::byte* values,
                std::byte* end_of_copies) noexcept;

    const SparseValueType* type_;
    index_t stored_ = 0;
    index_t capacity_ = 0; ///< of its own memory; 0 if the memory is foreign, or there is none
    const index_t* indexes_ = nullptr;
    const std::byte* values_ = static_cast<const std::byte*>(empty_memory());
    index_t stride_; ///< bytes from one value to the next
    ReaderPtr<index_t> index_owner_;
    std::shared_ptr<const AnyReader> value_owner_;
};

} // namespace purview
