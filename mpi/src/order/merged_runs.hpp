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
        index_t left = bound(pair) + split(begin);
        index_t right = left_end + (begin - left);
        index_t out = begin;
        while (out < end && left < left_end && right < right_end) {
            const bool takes_right = is_before(right, left);
            const index_t source = takes_right ? right : left;
            to.values[out] = from.values[source];
            if constexpr (indexed) to.indexes[out] = from.indexes[source];
            left += takes_right ? 0 : 1;
            right += takes_right ? 1 : 0;
            ++out;
        }
        const index_t rest = left < left_end ? left : right;
        std::copy_n(from.values + rest, end - out, to.values + out);
        if constexpr (indexed) std::copy_n(from.indexes + rest, end - out, to.indexes + out);
    }

    std::vector<index_t> begins_;
    bool descending_;
    bool by_index_;
};

} // namespace purview
