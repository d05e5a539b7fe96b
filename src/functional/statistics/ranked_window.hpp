#pragma once

#include <purview/evaluation/sorting.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

namespace purview::inline v0_1 {

/// A window that moves over a lane of floats whose order is found once: a bit for each rank tells
/// whether its element is in the window, and a Fenwick tree ("A new data structure for cumulative
/// frequency tables", 1994) counts the bits of each word. NaNs are counted.
template <typename R>
class RankedWindow {
public:
    /// Room for lanes of `length` elements.
    explicit RankedWindow(index_t length)
        : length_(length),
          words_((length + 63) / 64),
          top_(static_cast<index_t>(std::bit_floor(static_cast<std::size_t>(words_)))),
          order_(room<std::int64_t>(length)),
          ranks_(room<index_t>(length)),
          sorted_(room<R>(length)),
          bits_(room<std::uint64_t>(words_)),
          below_(room<index_t>(words_ + 1)) {}

    /// An empty window of the lane of elements `x`, which `lane` holds. O(length).
    void begin(const Operand& lane, const R* x) {
        argsort_groups(lane, 1, ascending, order_.get());
        for (index_t rank = 0; rank < length_; ++rank) {
            const std::int64_t place = order_[at(rank)];
            sorted_[at(rank)] = x[place];
            ranks_[at(place)] = std::isnan(x[place]) ? kNaN : rank;
        }
        std::fill_n(bits_.get(), words_, std::uint64_t{0});
        std::fill_n(below_.get(), words_ + 1, index_t{0});
        size_ = nans_ = 0;
    }

    index_t size() const noexcept { return size_; }
    index_t nans() const noexcept { return nans_; }

    /// Element i of the lane comes into the window. O(log length).
    void add(index_t i) noexcept { change(i, 1); }
    /// The same of one that leaves it.
    void remove(index_t i) noexcept { change(i, -1); }

    /// The element of a rank, counted from 0, among those in the window. O(log length).
    R operator[](index_t rank) const noexcept {
        index_t word = 0;
        for (index_t step = top_; step > 0; step /= 2)
            if (word + step <= words_ && below_[at(word + step)] <= rank) {
                word += step;
                rank -= below_[at(word)];
            }
        std::uint64_t bits = bits_[at(word)];
        for (; rank > 0; --rank) bits &= bits - 1;
        return sorted_[at(word * 64 + std::countr_zero(bits))];
    }

private:
    static constexpr index_t kNaN = -1;

    static std::size_t at(index_t i) noexcept { return static_cast<std::size_t>(i); }
    template <typename T>
    static std::unique_ptr<T[]> room(index_t count) {
        return std::make_unique_for_overwrite<T[]>(at(count));
    }

    void change(index_t i, index_t by) noexcept {
        const index_t rank = ranks_[at(i)];
        if (rank == kNaN) {
            nans_ += by;
            return;
        }
        size_ += by;
        bits_[at(rank / 64)] ^= std::uint64_t{1} << (rank % 64);
        for (index_t word = rank / 64 + 1; word <= words_; word += word & -word)
            below_[at(word)] += by;
    }

    index_t length_;
    index_t words_;
    index_t top_; ///< the largest power of two that is no more than words_
    std::unique_ptr<std::int64_t[]> order_; ///< the index of the element of each rank
    std::unique_ptr<index_t[]> ranks_;      ///< the rank of each element
    std::unique_ptr<R[]> sorted_;
    std::unique_ptr<std::uint64_t[]> bits_;
    std::unique_ptr<index_t[]> below_; ///< the tree, whose first word is 1
    index_t size_ = 0;
    index_t nans_ = 0;
};

} // namespace purview
