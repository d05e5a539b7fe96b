#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>
#include <purview/base/range_concepts.hpp>

#include <compare>

namespace purview::inline v0_1 {

/// A random-access iterator over anything with `read(i)`: it models C++20's concept; its C++17
/// category is input, because dereferencing gives a value, not a reference. It borrows what it
/// reads.
template <typename Source>
class ReaderIterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = typename Source::value_type;
    using difference_type = index_t;
    using reference = value_type;
    using pointer = void;

    ReaderIterator() = default;
    ReaderIterator(const Source* source, index_t position) noexcept
        : source_(source), position_(position) {}

    value_type operator*() const { return source_->read(position_); }
    value_type operator[](index_t n) const { return source_->read(position_ + n); }

    ReaderIterator& operator++() noexcept { return *this += 1; }
    ReaderIterator& operator--() noexcept { return *this -= 1; }
    ReaderIterator operator++(int) noexcept {
        const ReaderIterator old = *this;
        ++*this;
        return old;
    }
    ReaderIterator operator--(int) noexcept {
        const ReaderIterator old = *this;
        --*this;
        return old;
    }
    ReaderIterator& operator+=(index_t n) noexcept {
        position_ += n;
        return *this;
    }
    ReaderIterator& operator-=(index_t n) noexcept { return *this += -n; }

    friend ReaderIterator operator+(ReaderIterator it, index_t n) noexcept { return it += n; }
    friend ReaderIterator operator+(index_t n, ReaderIterator it) noexcept { return it += n; }
    friend ReaderIterator operator-(ReaderIterator it, index_t n) noexcept { return it -= n; }
    friend index_t operator-(const ReaderIterator& a, const ReaderIterator& b) noexcept {
        return a.position_ - b.position_;
    }
    friend bool operator==(const ReaderIterator& a, const ReaderIterator& b) noexcept {
        return a.position_ == b.position_;
    }
    friend std::strong_ordering operator<=>(const ReaderIterator& a,
                                            const ReaderIterator& b) noexcept {
        return a.position_ <=> b.position_;
    }

private:
    const Source* source_ = nullptr;
    index_t position_ = 0;
};

} // namespace purview
