#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/reader/element.hpp>

#include <compare>
#include <cstddef>

namespace purview::inline v0_1 {

/// A writable random-access iterator: dereferencing gives an `Element<T>`. It models C++20's
/// concept, and `std::ranges::sort` and range-v3's accept it. It claims C++17's random-access
/// category as well, as `std::vector<bool>`'s does, because libstdc++'s `std::ranges::stable_sort`
/// asks for that. It borrows what it iterates over, and so do the elements that a named iterator
/// gives; elements of a temporary iterator, as in `*buffer.begin()`, and copies of elements do not.
template <ElementType T>
class ElementIterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = index_t;
    using reference = Element<T>;
    using pointer = void;

    ElementIterator() = default;

    /// Position `position` of a reader and a writer over the same data. If `memory` is not null, it
    /// holds the elements, and the reader and the writer are not called.
    ElementIterator(const Reader<T>* reader, Writer<T>* writer, MutableMemoryView memory,
                    index_t position) noexcept
        : reader_(reader), writer_(writer), memory_(memory), position_(position) {}

    Element<T> operator*() const& { return element<false>(position_); }
    Element<T> operator*() const&& { return element<true>(position_); }
    Element<T> operator[](index_t n) const& { return element<false>(position_ + n); }
    Element<T> operator[](index_t n) const&& { return element<true>(position_ + n); }

    ElementIterator& operator++() noexcept { return *this += 1; }
    ElementIterator& operator--() noexcept { return *this -= 1; }
    ElementIterator operator++(int) noexcept {
        const ElementIterator old = *this;
        ++*this;
        return old;
    }
    ElementIterator operator--(int) noexcept {
        const ElementIterator old = *this;
        --*this;
        return old;
    }
    ElementIterator& operator+=(index_t n) noexcept {
        position_ += n;
        return *this;
    }
    ElementIterator& operator-=(index_t n) noexcept {
        position_ -= n;
        return *this;
    }

    friend ElementIterator operator+(ElementIterator it, index_t n) noexcept { return it += n; }
    friend ElementIterator operator+(index_t n, ElementIterator it) noexcept { return it += n; }
    friend ElementIterator operator-(ElementIterator it, index_t n) noexcept { return it -= n; }
    friend index_t operator-(const ElementIterator& a, const ElementIterator& b) noexcept {
        return a.position_ - b.position_;
    }
    friend bool operator==(const ElementIterator& a, const ElementIterator& b) noexcept {
        return a.position_ == b.position_;
    }
    friend std::strong_ordering operator<=>(const ElementIterator& a,
                                            const ElementIterator& b) noexcept {
        return a.position_ <=> b.position_;
    }

    // No iter_move that moves the value out: algorithms compare through iter_move (range-v3's merge
    // does).
    friend void iter_swap(const ElementIterator& a, const ElementIterator& b) { swap(*a, *b); }

private:
    template <bool Registered>
    Element<T> element(index_t position) const {
        typename Element<T>::Place place{nullptr, reader_, writer_, position};
        if (memory_)
            place = {static_cast<std::byte*>(memory_.data) + position * memory_.stride_bytes};
        if constexpr (Registered)
            return Element<T>::registered(place);
        else
            return Element<T>::borrowed(place);
    }

    const Reader<T>* reader_ = nullptr;
    Writer<T>* writer_ = nullptr;
    MutableMemoryView memory_;
    index_t position_ = 0;
};

} // namespace purview
