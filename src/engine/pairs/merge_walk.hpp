#pragma once

#include <purview/base/masks.hpp>

#include <algorithm>
#include <span>

namespace purview::engine {

/// An index that one of two lists has, or both: the positions in them, and masks that tell which of them has it.
struct MergedIndex {
    index_t index;
    index_t a;
    index_t b;
    index_t in_a;
    index_t in_b;
};

/// What is left of both lists when one of them has ended: some of the other, or nothing.
struct Remaining {
    index_t a_begin;
    index_t a_end;
    index_t b_begin;
    index_t b_end;
};

/// Visits the indexes of two ascending lists without a branch on them, from both ends towards the middle: what is
/// waited for at one end hides behind the other. `front` is called for ascending indexes, `back` for the last ones,
/// descending, until one of the lists is through.
template <typename Front, typename Back>
Remaining merge_walk(std::span<const index_t> a, std::span<const index_t> b, Front front,
                     Back back) {
    const index_t* const x = a.data();
    const index_t* const y = b.data();
    Remaining left{0, std::ssize(a), 0, std::ssize(b)};
    const auto step_front = [&] {
        const index_t i = x[left.a_begin];
        const index_t j = y[left.b_begin];
        const index_t in_a = mask_if(i <= j);
        const index_t in_b = mask_if(j <= i);
        front(MergedIndex{std::min(i, j), left.a_begin, left.b_begin, in_a, in_b});
        left.a_begin -= in_a;
        left.b_begin -= in_b;
    };
    while (left.a_end - left.a_begin > 1 && left.b_end - left.b_begin > 1) {
        step_front();
        const index_t i = x[left.a_end - 1];
        const index_t j = y[left.b_end - 1];
        const index_t in_a = mask_if(i >= j);
        const index_t in_b = mask_if(j >= i);
        back(MergedIndex{std::max(i, j), left.a_end - 1, left.b_end - 1, in_a, in_b});
        left.a_end += in_a;
        left.b_end += in_b;
    }
    while (left.a_begin < left.a_end && left.b_begin < left.b_end) step_front();
    return left;
}

/// Places in arrays that are filled from both ends.
class TwoEnds {
public:
    explicit TwoEnds(index_t room) noexcept : end_(room), room_(room) {}

    index_t front() const noexcept { return begin_; }
    index_t back() const noexcept { return end_ - 1; }
    /// What has been written there stays, or is written over by what comes next.
    void keep_front(bool kept) noexcept { begin_ += kept; }
    void keep_back(bool kept) noexcept { end_ -= kept; }

    /// Closes the gap in the middle; returns how many there are.
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
