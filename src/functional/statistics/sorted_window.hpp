#pragma once

#include <purview/base/index.hpp>

#include <algorithm>
#include <array>
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
        const std::array<const T*, 2> in{sorted_.get(), sorted_.get()};
        move(places_in(in, {old, x}, size_), x);
    }
    /// The same in two windows at once: the searches need not wait for each other.
    static void replace(SortedWindow& a, SortedWindow& b, T old_a, T x_a, T old_b, T x_b) noexcept {
        if (a.size_ != b.size_ || std::isnan(old_a) || std::isnan(x_a) || std::isnan(old_b) ||
            std::isnan(x_b)) {
            a.replace(old_a, x_a);
            b.replace(old_b, x_b);
            return;
        }
        const T* const of_a = a.sorted_.get();
        const T* const of_b = b.sorted_.get();
        const auto at = places_in<4>({of_a, of_a, of_b, of_b}, {old_a, x_a, old_b, x_b}, a.size_);
        a.move({at[0], at[1]}, x_a);
        b.move({at[2], at[3]}, x_b);
    }

private:
    T& at(index_t rank) noexcept { return sorted_[static_cast<std::size_t>(rank)]; }
    /// How many elements are below each number: binary searches without branches that depend on the
    /// elements.
    template <std::size_t n>
    static std::array<index_t, n> places_in(std::array<const T*, n> sorted, std::array<T, n> x,
                                            index_t count) noexcept {
        std::array<index_t, n> below{};
        if (count == 0) return below;
        for (; count > 1; count -= count / 2)
            for (std::size_t k = 0; k < n; ++k)
                below[k] += sorted[k][below[k] + count / 2 - 1] < x[k] ? count / 2 : 0;
        for (std::size_t k = 0; k < n; ++k) below[k] += sorted[k][below[k]] < x[k] ? 1 : 0;
        return below;
    }
    index_t elements_below(T x) const noexcept {
        return places_in<1>({sorted_.get()}, {x}, size_)[0];
    }
    void move(index_t begin, index_t end, index_t to) noexcept {
        T* const first = sorted_.get();
        std::memmove(first + to, first + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
    }
    /// The element at the first place goes, and x comes before the one at the second.
    void move(std::array<index_t, 2> places, T x) noexcept {
        const auto [from, to] = places;
        if (to > from)
            move(from + 1, to, from);
        else
            move(to, from, to + 1);
        at(to > from ? to - 1 : to) = x;
    }

    std::unique_ptr<T[]> sorted_;
    index_t size_ = 0;
    index_t nans_ = 0;
};

} // namespace purview
