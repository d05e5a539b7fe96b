#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/dtype/canonical.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/list_block.hpp>
#include <purview/reader/reader_iterator.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Turns a position in [-size, size) into one in [0, size). Throws
/// `IndexError: erase: position 7 is out of range for a list of size 5`, where `erase` is `what`.
PURVIEW_EXPORT index_t checked_position(index_t position, index_t size, const char* what);
/// Turns an insertion position in [-size, size] into one in [0, size]; `size` is the end. Throws
/// `IndexError`.
PURVIEW_EXPORT index_t checked_insert_position(index_t position, index_t size);
/// Throws `IndexError` unless 0 <= begin <= end <= size.
PURVIEW_EXPORT void check_erase(index_t begin, index_t end, index_t size);
/// The capacity to allocate for `needed` elements. Throws `ShapeError` when their bytes overflow.
PURVIEW_EXPORT index_t grown_capacity(index_t capacity, index_t needed, index_t element_bytes);

/// A growable list, for building buffers of unknown length: append to it, then take a `snapshot`. A
/// snapshot shares the list's memory and never changes: appending writes to memory that it does not
/// cover, and every other change copies the memory first if a living snapshot covers what would
/// change. Every function leaves the list unchanged when it throws. Numbers of other types are
/// checked: `CastError` where one does not fit. Copies are independent, O(size). The list may be
/// read from several threads as long as none changes it, and snapshots always.
template <ElementType T>
class List {
public:
    using value_type = T;
    using const_iterator = ReaderIterator<List<T>>;

    List() = default;
    List(std::initializer_list<T> values) { append(values); }
    List(const List& other) { append_copies(other, other.size_); }
    List(List&& other) noexcept
        : block_(std::move(other.block_)), size_(std::exchange(other.size_, 0)) {}
    List& operator=(List other) noexcept {
        swap(*this, other);
        return *this;
    }
    ~List() = default;

    friend void swap(List& a, List& b) noexcept {
        std::swap(a.block_, b.block_);
        std::swap(a.size_, b.size_);
    }

    index_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// How many elements fit before memory is allocated again.
    index_t capacity() const noexcept { return block_ ? block_->capacity() : 0; }

    /// Element `i`; 0 <= i < size().
    T read(index_t i) const {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return block_->data()[i];
    }
    T operator[](index_t i) const { return read(i); }
    /// Element `i`, counting from the end if negative. Throws `IndexError` outside of [-size,
    /// size).
    T at(index_t i) const { return read(checked_position(i, size_, "at")); }
    const_iterator begin() const noexcept { return {this, 0}; }
    const_iterator end() const noexcept { return {this, size_}; }

    /// Sets element `i`, counting from the end if negative. O(1), or O(size) when a snapshot covers
    /// it. Throws `IndexError` outside of [-size, size).
    void write(index_t i, T value) {
        const index_t position = checked_position(i, size_, "write");
        detach(position);
        block_->data()[position] = std::move(value);
    }

    template <ConvertedTo<T> U>
    void write(index_t i, U value) {
        write(i, converted<T>(value));
    }

    /// Adds an element at the end. O(1) amortised.
    void append(T value) {
        make_room(1);
        block_->construct(std::move(value));
        ++size_;
    }
    template <ConvertedTo<T> U>
    void append(U value) {
        append(converted<T>(value));
    }

    /// Appends the elements of a range, which may be this list. Amortised O(number of elements).
    template <std::ranges::input_range R>
        requires std::convertible_to<std::ranges::range_reference_t<R>, T>
    void append(R&& range) {
        if constexpr (std::ranges::sized_range<R>) {
            append_copies(range, static_cast<index_t>(std::ranges::size(range)));
        } else {
            List values;
            for (auto&& value : range)
                values.append(converted_value<R>(std::forward<decltype(value)>(value)));
            append_copies(values, values.size_);
        }
    }
    void append(std::initializer_list<T> values) {
        append_copies(values, static_cast<index_t>(values.size()));
    }

    /// Inserts an element before `position`, counting from the end if negative; `size()` is the
    /// end. O(size). Throws `IndexError` outside of [-size, size].
    void insert(index_t position, T value) {
        const index_t place = checked_insert_position(position, size_);
        List values;
        values.append(std::move(value));
        insert_list(place, values);
    }
    template <ConvertedTo<T> U>
    void insert(index_t position, U value) {
        insert(position, converted<T>(value));
    }

    /// Inserts the elements of a range, which may be this list, before `position`. O(size + number
    /// of inserted elements).
    template <std::ranges::input_range R>
        requires std::convertible_to<std::ranges::range_reference_t<R>, T>
    void insert(index_t position, R&& range) {
        const index_t place = checked_insert_position(position, size_);
        List values;
        values.append(std::forward<R>(range));
        insert_list(place, values);
    }
    void insert(index_t position, std::initializer_list<T> values) {
        insert(position, std::span<const T>(values.begin(), values.size()));
    }

    /// Removes the element at `position`, counting from the end if negative. O(size). Throws
    /// `IndexError` outside of [-size, size).
    void erase(index_t position) {
        const index_t place = checked_position(position, size_, "erase");
        erase_run(place, place + 1);
    }

    /// Removes the elements [begin, end). O(size). Throws `IndexError` unless 0 <= begin <= end <=
    /// size.
    void erase(index_t begin, index_t end) {
        check_erase(begin, end, size_);
        if (begin != end) erase_run(begin, end);
    }

    /// Removes all elements. Snapshots keep theirs.
    void clear() noexcept {
        if (block_ && !block_->shares(0))
            block_->destroy_from(0);
        else
            block_.reset();
        size_ = 0;
    }

    /// Allocates memory for `n` elements in all. Throws `ShapeError` when `n` is negative or its
    /// bytes overflow.
    void reserve(index_t n) {
        checked_bytes(n, sizeof(T), "reserve");
        if (n > capacity()) move_to(n, size_);
    }

    /// The present elements as an immutable buffer over the list's own memory. O(1).
    ConstBufferPtr<Canonical<T>> snapshot() const {
        using Stored = ConstBuffer<Canonical<T>>;
        if (size_ == 0)
            return std::make_shared<const Stored>(nullptr, 0, index_t{sizeof(T)}, Owner());
        return std::make_shared<const Stored>(
            reinterpret_cast<const Canonical<T>*>(block_->data()), size_,
            static_cast<index_t>(sizeof(T)), ListBlock<T>::share(block_, size_),
            StorageId{block_->data(), block_->capacity() * static_cast<index_t>(sizeof(T))});
    }

private:
    using Block = ListBlock<T>;

    /// The value that an iterator over `R` gives, as an element; a proxy is converted to the
    /// range's value type first.
    template <typename R, typename V>
    static T converted_value(V&& value) {
        using From = std::ranges::range_value_t<R>;
        if constexpr (ConvertedTo<From, T>)
            return converted<T>(static_cast<From>(std::forward<V>(value)));
        else
            return static_cast<T>(std::forward<V>(value));
    }

    /// Makes sure that `extra` more elements can be constructed.
    void make_room(index_t extra) {
        const index_t needed = checked_add(size_, extra, "append");
        if (needed > capacity()) move_to(grown_capacity(capacity(), needed, sizeof(T)), size_);
    }

    /// Replaces the block by one of its own, with `new_capacity` and the first `count` elements.
    void move_to(index_t new_capacity, index_t count) {
        auto block = std::make_shared<Block>(new_capacity);
        transfer(*block, 0, count);
        block_ = std::move(block);
    }

    /// Constructs copies of the elements [begin, end) at the end of `block`; moves them if no
    /// snapshot sees them and moving cannot throw.
    void transfer(Block& block, index_t begin, index_t end) {
        if (begin == end) return;
        T* const data = block_->data();
        if (std::is_nothrow_move_constructible_v<T> && !block_->shares(begin))
            for (index_t i = begin; i < end; ++i) block.construct(std::move(data[i]));
        else
            for (index_t i = begin; i < end; ++i) block.construct(std::as_const(data[i]));
    }

    /// Makes sure that no snapshot shares the elements from `position` on.
    void detach(index_t position) {
        if (block_->shares(position)) move_to(block_->capacity(), size_);
    }

    template <typename R>
    void append_copies(R&& range, index_t count) {
        if (count == 0) return;
        make_room(count);
        // Counts the elements, because the range may be this list. A range that ends early is
        // appended as far as it goes.
        const index_t old_size = size_;
        try {
            auto it = std::ranges::begin(range);
            const auto end = std::ranges::end(range);
            for (index_t i = 0; i < count && it != end; ++i, ++it) {
                block_->construct(converted_value<R>(*it));
                ++size_;
            }
        } catch (...) {
            block_->destroy_from(old_size);
            size_ = old_size;
            throw;
        }
    }

    void insert_list(index_t place, List& values) {
        const index_t count = values.size_;
        if (count == 0) return;
        const index_t needed = checked_add(size_, count, "insert");
        constexpr bool kMoveIsNothrow =
            std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
        const bool in_place =
            kMoveIsNothrow && needed <= capacity() && (place == size_ || !block_->shares(place));
        if (in_place) {
            T* const data = block_->data();
            for (index_t i = 0; i < count; ++i)
                block_->construct(std::move(values.block_->data()[i]));
            // A merge by swaps: the inserted elements, at the end, change places with those from
            // `place` on until all are in order.
            index_t to = place;
            index_t middle = size_;
            for (index_t next = middle; to != next;) {
                std::swap(data[to++], data[next++]);
                if (next == needed)
                    next = middle;
                else if (to == middle)
                    middle = next;
            }
        } else {
            auto block = std::make_shared<Block>(grown_capacity(capacity(), needed, sizeof(T)));
            transfer(*block, 0, place);
            for (index_t i = 0; i < count; ++i)
                block->construct(std::move(values.block_->data()[i]));
            transfer(*block, place, size_);
            block_ = std::move(block);
        }
        size_ = needed;
    }

    void erase_run(index_t begin, index_t end) {
        const index_t kept = size_ - (end - begin);
        if (std::is_nothrow_move_assignable_v<T> && !block_->shares(begin)) {
            T* const data = block_->data();
            std::move(data + end, data + size_, data + begin);
            block_->destroy_from(kept);
        } else {
            auto block = std::make_shared<Block>(block_->capacity());
            transfer(*block, 0, begin);
            transfer(*block, end, size_);
            block_ = std::move(block);
        }
        size_ = kept;
    }

    std::shared_ptr<Block> block_;
    index_t size_ = 0;
};

} // namespace purview
