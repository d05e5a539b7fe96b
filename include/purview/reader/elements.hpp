#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/reader/element_iterator.hpp>
#include <purview/reader/source.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// A writable random-access view of all elements of a reader that is also a writer; co-owns it.
template <ElementType T>
class Elements : public std::ranges::view_base {
public:
    Elements() = default;

    template <WritableSource B>
    explicit Elements(std::shared_ptr<B> source)
        : reader_(source.get()),
          writer_(source.get()),
          size_(source->size()),
          owner_(std::move(source)) {
        memory_ = writer_->writable_memory();
    }

    ElementIterator<T> begin() const noexcept { return {reader_, writer_, memory_, 0}; }
    ElementIterator<T> end() const noexcept { return {reader_, writer_, memory_, size_}; }
    index_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

    /// Element `i`; 0 <= i < size(). It keeps the data alive.
    Element<T> operator[](index_t i) const {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        if (memory_)
            return Element<T>(static_cast<std::byte*>(memory_.data) + i * memory_.stride_bytes,
                              owner_);
        return Element<T>(reader_, writer_, i, owner_);
    }

private:
    const Reader<T>* reader_ = nullptr;
    Writer<T>* writer_ = nullptr;
    MutableMemoryView memory_;
    index_t size_ = 0;
    Owner owner_;
};

/// A random-access view of all elements of a reader; co-owns it.
template <ElementType T>
class ConstElements : public std::ranges::view_base {
public:
    ConstElements() = default;
    explicit ConstElements(ReaderPtr<T> source) : reader_(std::move(source)) {}

    ReaderIterator<Reader<T>> begin() const noexcept { return {reader_.get(), 0}; }
    ReaderIterator<Reader<T>> end() const { return {reader_.get(), size()}; }
    index_t size() const { return reader_ ? reader_->size() : 0; }
    bool empty() const { return size() == 0; }

    /// Element `i`; 0 <= i < size().
    T operator[](index_t i) const { return (*reader_)[i]; }

private:
    ReaderPtr<T> reader_;
};

/// `elements(source)`: the elements of a reader as a range that co-owns it: of `Element<T>`s, so
/// writable (for algorithms such as `std::ranges::sort`), if the source is both a `Reader<T>` and a
/// `Writer<T>`; else read-only. O(1). A loop over `*reverse(a)` would iterate over a reader that
/// has been destroyed; a loop over `elements(reverse(a))` does not. Throws `Error` when `source` is
/// null.
template <ReadableSource B>
auto elements(std::shared_ptr<B> source) {
    if (source == nullptr) throw_null_source("elements");
    if constexpr (WritableSource<B>)
        return Elements<ElementOf<B>>(std::move(source));
    else
        return ConstElements<ElementOf<B>>(std::move(source));
}

} // namespace purview
