#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// The floats of a window that moves by one element at a time, in ascending order; NaNs are counted.
template <typename T>
class SortedWindow {
public:
    /// Room for `width` elements.
    explicit SortedWindow(index_t width)
        : sorted_(std::make_unique<T[]>(static_cast<std::size_t>(width))) {}

    index_t size() const noexcept { return size_; }
    index_t nans() const noexcept { return nans_; }
    T operator[](index_t rank) const noexcept { return sorted_[static_cast<std::size_t>(rank)]; }

    void fill(const T* elements, index_t count) {
        T* const end = std::remove_copy_if(elements, elements + count, sorted_.get(),
                                           [](T x) { return std::isnan(x); });
        size_ = end - sorted_.get();
        nans_ = count - size_;
        std::sort(sorted_.get(), end);
    }
    /// O(log width + width) with a small constant: the elements behind are moved as a block.
    void add(T x) noexcept {
        if (std::isnan(x)) {
            ++nans_;
            return;
        }
        const index_t place = elements_below(x);
        move(place, size_++, place + 1);
        at(place) = x;
    }
    void remove(T x) noexcept {
        if (std::isnan(x)) {
            --nans_;
            return;
        }
        const index_t place = elements_below(x);
        move(place + 1, size_--, place);
    }
    /// Moves only the elements that lie between both.
    void replace(T old, T x) noexcept {
        if (std::isnan(old) || std::isnan(x)) {
            remove(old);
            add(x);
            return;
        }
        const auto [from, to] = elements_below_both(old, x);
        T* const first = sorted_.get();
        if (to > from) {
            std::memmove(first + from, first + from + 1,
                         static_cast<std::size_t>(to - 1 - from) * sizeof(T));
            first[to - 1] = x;
        } else {
            std::memmove(first + to + 1, first + to,
                         static_cast<std::size_t>(from - to) * sizeof(T));
            first[to] = x;
        }
    }

private:
    T& at(index_t rank) noexcept { return sorted_[static_cast<std::size_t>(rank)]; }
    /// A binary search without branches that depend on the elements.
    index_t elements_below(T x) const noexcept {
        const T* first = sorted_.get();
        index_t count = size_;
        if (count == 0) return 0;
        while (count > 1) {
            const index_t half = count / 2;
            first += first[half - 1] < x ? half : 0;
            count -= half;
        }
        return first - sorted_.get() + (*first < x ? 1 : 0);
    }
    /// The same search for two numbers at once, of a window that is not empty.
    std::pair<index_t, index_t> elements_below_both(T x, T y) const noexcept {
        const T* const first = sorted_.get();
        index_t i = 0;
        index_t j = 0;
        index_t count = size_;
        while (count > 1) {
            const index_t half = count / 2;
            i += first[i + half - 1] < x ? half : 0;
            j += first[j + half - 1] < y ? half : 0;
            count -= half;
        }
        return {i + (first[i] < x ? 1 : 0), j + (first[j] < y ? 1 : 0)};
    }
    void move(index_t begin, index_t end, index_t to) noexcept {
        T* const first = sorted_.get();
        std::memmove(first + to, first + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
    }

    std::unique_ptr<T[]> sorted_;
    index_t size_ = 0;
    index_t nans_ = 0;
};

} // namespace purview
