#pragma once

#include <purview/base/index.hpp>

#include <cmath>
#include <cstring>
#include <memory>

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

    void clear() noexcept { size_ = nans_ = 0; }
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
        const index_t from = elements_below(old);
        index_t to = elements_below(x);
        if (to > from) {
            --to;
            move(from + 1, to + 1, from);
        } else {
            move(to, from, to + 1);
        }
        at(to) = x;
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
    void move(index_t begin, index_t end, index_t to) noexcept {
        T* const first = sorted_.get();
        std::memmove(first + to, first + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
    }

    std::unique_ptr<T[]> sorted_;
    index_t size_ = 0;
    index_t nans_ = 0;
};

} // namespace purview
