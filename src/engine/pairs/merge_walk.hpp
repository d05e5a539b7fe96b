#pragma once

#include <purview/base/masks.hpp>

#include <algorithm>
#include <span>

namespace purview::inline v0_1::engine {

/// An index that is in one of two lists, or in both: the current positions in them, and masks (-1
/// or 0) that tell which of them has it.
struct MergedIndex {
    index_t index;
    index_t a;
    index_t b;
    index_t in_a;
    index_t in_b;
};

/// What is left of two lists when one of them has ended: ranges of positions, at least one of them
/// empty.
struct Remaining {
    index_t a_begin;
    index_t a_end;
    index_t b_begin;
    index_t b_end;
};

/// The ends of lists.
struct Front {};
struct Back {};

/// Merges two ascending lists without branches on the indexes, from both ends towards the middle,
/// so that the latency of one end is hidden behind the other. Calls `visit` with `Front` for
/// ascending indexes from the beginning and with `Back` for descending indexes from the end, until
/// one of the lists has ended.
template <typename Visit>
Remaining merge_walk(std::span<const index_t> a, std::span<const index_t> b, Visit visit) {
    const index_t* const x = a.data();
    const index_t* const y = b.data();
    Remaining left{0, std::ssize(a), 0, std::ssize(b)};
    const auto step_front = [&] {
        const index_t i = x[left.a_begin];
        const index_t j = y[left.b_begin];
        const index_t in_a = mask_if(i <= j);
        const index_t in_b = mask_if(j <= i);
        visit(MergedIndex{std::min(i, j), left.a_begin, left.b_begin, in_a, in_b}, Front{});
        left.a_begin -= in_a;
        left.b_begin -= in_b;
    };
    while (left.a_end - left.a_begin > 1 && left.b_end - left.b_begin > 1) {
        step_front();
        const index_t i = x[left.a_end - 1];
        const index_t j = y[left.b_end - 1];
        const index_t in_a = mask_if(i >= j);
        const index_t in_b = mask_if(j >= i);
        visit(MergedIndex{std::max(i, j), left.a_end - 1, left.b_end - 1, in_a, in_b}, Back{});
        left.a_end += in_a;
        left.b_end += in_b;
    }
    while (left.a_begin < left.a_end && left.b_begin < left.b_end) step_front();
    return left;
}

/// The next places in arrays that are filled from both ends.
class TwoEnds {
public:
    explicit TwoEnds(index_t room) noexcept : end_(room), room_(room) {}

    index_t next(Front) const noexcept { return begin_; }
    index_t next(Back) const noexcept { return end_ - 1; }
    /// Keeps what has been written at the next place of an end; with `kept` false it is overwritten.
    void keep(Front, bool kept) noexcept { begin_ += kept; }
    void keep(Back, bool kept) noexcept { end_ -= kept; }

    /// Moves the back of each array to its front, which closes the gap; returns how many elements
    /// there are.
    template <typename... T>
    index_t close(T*... arrays) const {
        (std::copy(arrays + end_, arrays + room_, arrays + begin_), ...);
        return begin_ + room_ - end_;
    }

private:
    index_t begin_ = 0;
    index_t end_;
    index_t room_;
};

} // namespace purview::engine
