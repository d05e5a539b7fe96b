#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/reader/element.hpp>
#include <purview/tensor/operand_reader.hpp>
#include <purview/tensor/tensor_cursor.hpp>

#include <compare>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The place of an address in a leaf. Without `writable`, it is read-only.
template <ElementType T>
typename Element<T>::Place place_of(const Leaf& leaf, index_t address, bool writable) {
    const MutableMemoryView memory = leaf.writable_memory();
    if (writable && memory)
        return {static_cast<std::byte*>(memory.data) + address * memory.stride_bytes};
    return {nullptr, static_cast<const Reader<T>*>(&leaf.reader()),
            writable ? static_cast<Writer<T>*>(leaf.writer()) : nullptr, address};
}

/// What reading an element of a read-only tensor gives: a copy. One of a class is const, so that
/// writing to it does not compile.
template <ElementType T>
using ReadElement = std::conditional_t<std::is_class_v<T>, const T, T>;

/// A random-access iterator over a tensor's elements in row-major order; a writable one gives
/// `Element<T>`s. If the elements lie in memory at one stride, it walks over them and borrows them;
/// otherwise it shares ownership of what it reads, and a step costs a division per axis. A computed
/// tensor is computed in blocks while steps go forward one by one (each element once; an element
/// already computed does not show later writes), and otherwise element by element. Copies are
/// independent, and elements of one iterator may be read by several threads. Elements given by a
/// temporary iterator, as in `*t.begin()`, and copies of elements may outlive the tensor; those
/// given by a named iterator borrow as the iterator does, so that loops and algorithms pay nothing
/// for ownership.
template <ElementType T, bool Writable = false>
class TensorIterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    /// A writable iterator claims C++17's random-access category, as `ElementIterator` does.
    using iterator_category =
        std::conditional_t<Writable, std::random_access_iterator_tag, std::input_iterator_tag>;
    using value_type = T;
    using difference_type = index_t;
    using reference = std::conditional_t<Writable, Element<T>, ReadElement<T>>;
    using pointer = void;

    TensorIterator() = default;
    [[gnu::always_inline]] TensorIterator(const Operand& operand, index_t position)
        : position_(position),
          memory_(memory_at_one_stride(operand, Writable)),
          cursor_(memory_ ? nullptr : new_source(operand, position), false) {}

    reference operator*() const& { return get<false>(position_); }
    reference operator*() const&& { return get<true>(position_); }
    reference operator[](index_t n) const& { return get<false>(position_ + n); }
    reference operator[](index_t n) const&& { return get<true>(position_ + n); }

    TensorIterator& operator++() noexcept {
        ++position_;
        if constexpr (!Writable)
            if (!memory_) step();
        return *this;
    }
    TensorIterator& operator--() noexcept { return *this -= 1; }
    TensorIterator operator++(int) noexcept {
        TensorIterator old = *this;
        ++*this;
        return old;
    }
    TensorIterator operator--(int) noexcept {
        TensorIterator old = *this;
        --*this;
        return old;
    }
    TensorIterator& operator+=(index_t n) noexcept {
        position_ += n;
        return *this;
    }
    TensorIterator& operator-=(index_t n) noexcept {
        position_ -= n;
        return *this;
    }

    friend TensorIterator operator+(TensorIterator it, index_t n) noexcept { return it += n; }
    friend TensorIterator operator+(index_t n, TensorIterator it) noexcept { return it += n; }
    friend TensorIterator operator-(TensorIterator it, index_t n) noexcept { return it -= n; }
    friend index_t operator-(const TensorIterator& a, const TensorIterator& b) noexcept {
        return a.position_ - b.position_;
    }
    friend bool operator==(const TensorIterator& a, const TensorIterator& b) noexcept {
        return a.position_ == b.position_;
    }
    friend std::strong_ordering operator<=>(const TensorIterator& a,
                                            const TensorIterator& b) noexcept {
        return a.position_ <=> b.position_;
    }

    friend T iter_move(const TensorIterator& it) {
        if constexpr (Writable)
            return (*it).take();
        else
            return *it;
    }
    friend void iter_swap(const TensorIterator& a, const TensorIterator& b) requires Writable {
        swap(*a, *b);
    }

private:
    /// Read-only iterators read through blocks of computed elements.
    using Source =
        IntrusivePointer<std::conditional_t<Writable, const TensorCursor, const ElementsAhead>>;

    // `*this` is not passed to the function, so that the iterator stays in registers.
    [[gnu::always_inline]] void step() noexcept requires(!Writable) {
        if (cursor_ && cursor_->is_behind(position_))
            cursor_ = Source(ElementsAhead::after(cursor_.detach(), position_), false);
    }

    [[gnu::cold, gnu::noinline]] static const auto* new_source(const Operand& operand,
                                                               index_t position) {
        if constexpr (Writable)
            return new TensorCursor(operand, &operand_reader<T>);
        else
            return ElementsAhead::at(operand, position);
    }

    // Always inlined: a part of it that is split off would be given the address of the iterator.
    template <bool Registered>
    [[gnu::always_inline]] reference get(index_t position) const {
        if (!memory_) {
            if constexpr (!Writable) {
                const ElementsAhead* const ahead = cursor_.get();
                if (ahead == nullptr) __builtin_unreachable(); // else gcc warns of a null pointer
                if (const void* const found = ahead->template find<T>(position))
                    return load_element<T>(found);
                return value_from(*ahead, position).get();
            } else
                return element<Registered>(place_from(*cursor_, position).get());
        }
        const std::byte* const address =
            static_cast<const std::byte*>(memory_.data) + position * memory_.stride_bytes;
        if constexpr (!Writable)
            return load_element<T>(address);
        else
            return element<Registered>({const_cast<std::byte*>(address)});
    }

    [[gnu::cold, gnu::noinline]] static ColdResult<T> value_from(const ElementsAhead& ahead,
                                                                 index_t position) noexcept {
        return cold_result([&] {
            const TensorCursor& cursor = ahead.cursor();
            if (!cursor.is_computed()) {
                if (const void* const found = cursor.memory_at(position))
                    return load_element<T>(found);
                return static_cast<const Reader<T>&>(cursor.leaf().reader())
                    .read(cursor.address(position));
            }
            T value{};
            ahead.read(position, &value);
            return value;
        });
    }
    [[gnu::cold, gnu::noinline]] static auto place_from(const TensorCursor& cursor,
                                                        index_t position) noexcept {
        return cold_result([&] {
            return cursor.is_computed()
                       ? computed_place<T>(cursor.reader(), position)
                       : place_of<T>(cursor.leaf(), cursor.address(position), cursor.is_writable());
        });
    }

    template <bool Registered>
    static Element<T> element(const typename Element<T>::Place& place) {
        if constexpr (Registered)
            return Element<T>::registered(place);
        else
            return Element<T>::borrowed(place);
    }

    // The member that steps change comes first: if it shared a wide load with its neighbours when
    // the iterator is copied, that load would wait for the preceding store.
    index_t position_ = 0;
    MemoryView memory_;
    Source cursor_;
};

} // namespace purview
