#pragma once

#include "order/ordered_key.hpp"

#include <purview/evaluation/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Elements that lie one after the other, and, if not null, their indexes.
template <typename T>
struct Entries {
    T* values = nullptr;
    std::int64_t* indexes = nullptr;
};

/// Runs of sorted elements that lie one after the other become one, by merging neighbours again and again.
template <typename T>
class MergedRuns {
public:
    /// Run r is [begins[r], begins[r + 1]). Of equal elements those of earlier runs come first, or, with `by_index`, those of lower
    /// indexes.
    MergedRuns(std::vector<index_t> begins, bool descending, bool by_index)
        : begins_(std::move(begins)), descending_(descending), by_index_(by_index) {
        begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
    }

    /// Returns where the result lies: `from`, where the runs are, or `room`, as large.
    Entries<T> run(Entries<T> from, Entries<T> room) {
        while (begins_.size() > 2) {
            if (from.indexes == nullptr)
                pass<false, false>(from, room);
            else if (by_index_)
                pass<true, true>(from, room);
            else
                pass<true, false>(from, room);
            std::swap(from, room);
            std::vector<index_t> merged;
            for (std::size_t r = 0; r < begins_.size(); r += 2) merged.push_back(begins_[r]);
            if (begins_.size() % 2 == 0) merged.push_back(begins_.back());
            begins_ = std::move(merged);
        }
        return from;
    }

private:
    static constexpr index_t kGrain = index_t{1} << 14;
    static constexpr double kNanosecondsEach = 4;

    /// Where a merge is: the next elements of both runs and of the result, and the end of it.
    struct Cursor {
        index_t left;
        index_t right;
        index_t out;
        index_t end;
    };

    template <bool indexed, bool by_index>
    void pass(const Entries<T>& from, const Entries<T>& to) const {
        const index_t count = begins_.back();
        parallel_ranges(count, kGrain, static_cast<double>(count) * kNanosecondsEach,
                        [&](index_t begin, index_t end) {
                            auto pair = static_cast<std::size_t>(
                                std::upper_bound(begins_.begin(), begins_.end(), begin) -
                                begins_.begin() - 1);
                            for (pair -= pair % 2; begin < end; pair += 2) {
                                const index_t last = std::min(end, bound(pair + 2));
                                merge<indexed, by_index>(from, to, pair, begin, last);
                                begin = last;
                            }
                        });
    }

    index_t bound(std::size_t run) const noexcept {
        return begins_[std::min(run, begins_.size() - 1)];
    }

    /// The elements [begin, end) of a result, all of one pair of runs.
    template <bool indexed, bool by_index>
    void merge(const Entries<T>& from, const Entries<T>& to, std::size_t pair, index_t begin,
               index_t end) const {
        const index_t left_end = bound(pair + 1);
        const index_t right_end = bound(pair + 2);
        const auto key = [&](index_t i) { return ordered_key(from.values[i], descending_); };
        const auto is_before = [&](index_t right, index_t left) {
            if constexpr (by_index)
                return key(right) != key(left) ? key(right) < key(left)
                                               : from.indexes[right] < from.indexes[left];
            else
                return key(right) < key(left);
        };
        const auto split = [&](index_t at) { // how many of the left run come before
            const index_t k = at - bound(pair);
            index_t low = std::max<index_t>(0, k - (right_end - left_end));
            index_t high = std::min(k, left_end - bound(pair));
            while (low < high) {
                const index_t middle = low + (high - low) / 2;
                if (is_before(left_end + k - middle - 1, bound(pair) + middle))
                    high = middle;
                else
                    low = middle + 1;
            }
            return low;
        };
        // Two places at once: in one, each step waits for the one before.
        const index_t middle = begin + (end - begin) / 2;
        Cursor first{bound(pair) + split(begin), 0, begin, middle};
        Cursor second{bound(pair) + split(middle), 0, middle, end};
        for (Cursor* const cursor : {&first, &second})
            cursor->right = left_end + (cursor->out - cursor->left);
        const auto steps = [&](const Cursor& c) { // for which there is something on both sides
            return std::min({left_end - c.left, right_end - c.right, c.end - c.out});
        };
        const auto step = [&](Cursor& c) {
            const index_t takes_right = mask_if(is_before(c.right, c.left));
            const index_t source = c.left ^ ((c.left ^ c.right) & takes_right);
            to.values[c.out] = from.values[source];
            if constexpr (indexed) to.indexes[c.out] = from.indexes[source];
            c.left += 1 + takes_right;
            c.right -= takes_right;
            ++c.out;
        };
        while (const index_t count = std::min(steps(first), steps(second))) {
            Cursor a = first;
            Cursor b = second;
            for (index_t i = 0; i < count; ++i) {
                step(a);
                step(b);
            }
            first = a;
            second = b;
        }
        for (Cursor c : {first, second}) {
            while (const index_t count = steps(c))
                for (index_t i = 0; i < count; ++i) step(c);
            const index_t rest = c.left < left_end ? c.left : c.right;
            std::copy_n(from.values + rest, c.end - c.out, to.values + c.out);
            if constexpr (indexed)
                std::copy_n(from.indexes + rest, c.end - c.out, to.indexes + c.out);
        }
    }

    std::vector<index_t> begins_;
    bool descending_;
    bool by_index_;
};

} // namespace purview
