#pragma once

#include <purview/reader/element_iterator.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

namespace purview::inline v0_1 {

/// A reader and writer of the same elements that is also a writable random-access range: iterating
/// over a non-const one gives `Element<T>`s, so `std::ranges::sort(*buffer)` sorts it in place. All
/// buffers here derive from it. A user's class that derives from `Reader<T>` and `Writer<T>`
/// separately is accepted by every function too, and gets such a range from `elements`.
template <ElementType T>
class PURVIEW_EXPORT ReadWriter : public Reader<T>, public Writer<T> {
public:
    index_t size() const override = 0;

    using Reader<T>::begin;
    using Reader<T>::end;
    using Reader<T>::operator[];

    /// The first and past-the-last position, for writing. O(1). They borrow this object.
    ElementIterator<T> begin() { return {this, this, this->writable_memory(), 0}; }
    ElementIterator<T> end() { return {this, this, this->writable_memory(), this->size()}; }

    /// Element `i` to read or write; 0 <= i < size().
    Element<T> operator[](index_t i) {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        return begin()[i]; // of a temporary iterator, so that the element may outlive this object
    }
};

} // namespace purview
