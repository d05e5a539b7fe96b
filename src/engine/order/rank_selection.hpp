#pragma once

#include <purview/base/index.hpp>
#include <purview/base/random_bits.hpp>

#include "engine/order/sort_keys.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Finds the elements that sorting would put at some places.
template <typename T>
class RankSelection {
public:
    RankSelection(const T* elements, index_t count, int threads)
        : elements_(elements), count_(count), threads_(threads) {}

    /// `ranks` ascend. False if there is a NaN: then `out` is left alone.
    bool run(std::span<const index_t> ranks, T* out) {
        if (count_ >= kManyElements && make_brackets(ranks)) {
            if (!collect()) return false;
            if (select_from_brackets(ranks, out)) return true;
        }
        std::vector<T> copy(elements_, elements_ + count_);
        if (std::ranges::any_of(copy, is_nan)) return false;
        select(copy.data(), 0, count_, ranks, out);
        return true;
    }

    /// Writes the elements of `ranks`, which ascend. `elements` are those that sorting would put at
    /// the places [begin, end), in any order.
    static void select(T* elements, index_t begin, index_t end, std::span<const index_t> ranks,
                       T* out) {
        if (ranks.empty()) return;
        const std::size_t middle = ranks.size() / 2;
        const index_t rank = ranks[middle];
        T* const at = elements + (rank - begin);
        std::nth_element(elements, at, elements + (end - begin));
        out[middle] = *at;
        // Ranks equal to `rank` are its neighbours in `ranks`.
        std::size_t first = middle;
        while (first > 0 && ranks[first - 1] == rank) out[--first] = *at;
        std::size_t last = middle + 1;
        while (last < ranks.size() && ranks[last] == rank) out[last++] = *at;
        select(elements, begin, rank, ranks.first(first), out);
        select(at + 1, rank + 1, end, ranks.subspan(last), out + last);
    }

private:
    /// Fewer elements are copied and selected from without brackets.
    static constexpr index_t kManyElements = 1 << 15;
    static constexpr index_t kSample = 1 << 14;
    static constexpr std::size_t kMostBrackets = 6;
    static constexpr index_t kPiece = 1 << 11;
    /// A bracket keeps at most one in this many of all elements.
    static constexpr index_t kKeptShare = 4;

    static bool is_nan(T value) noexcept { return value != value; }

    /// The elements between two values of a sample, and what a pass over all elements found of
    /// them.
    struct Bracket {
        T low;
        T high;
        index_t below = 0;   ///< elements less than `low`
        index_t at_low = 0;  ///< equal to `low`
        index_t at_high = 0; ///< equal to `high`
        std::vector<T> inside{};
        std::size_t first_rank = 0;
        std::size_t last_rank = 0;
    };

    /// Makes a few brackets, so that the element of each rank lies in one of them, most likely.
    /// Returns false if more than kMostBrackets would be needed, or a NaN was seen.
    bool make_brackets(std::span<const index_t> ranks) {
        std::vector<T> sample(static_cast<std::size_t>(kSample));
        RandomBits places(0x5e1ec7);
        for (T& value : sample) value = elements_[places.below(count_)];
        if (std::ranges::any_of(sample, is_nan)) return false; // `run` meets it again in its copy
        std::ranges::sort(sample);
        index_t before = -1;
        for (std::size_t r = 0; r < ranks.size(); ++r) {
            const double share = static_cast<double>(ranks[r]) / static_cast<double>(count_);
            const double place = share * static_cast<double>(kSample);
            // Five standard deviations of the number of sampled elements that lie before the
            // element of this rank.
            const double spread =
                5 * std::sqrt(static_cast<double>(kSample) * share * (1 - share)) + 4;
            const auto first = static_cast<index_t>(std::floor(place - spread));
            const auto last = static_cast<index_t>(std::ceil(place + spread));
            const T high = last >= kSample ? kHighest<T> : sample[static_cast<std::size_t>(last)];
            if (!brackets_.empty() && first <= before) {
                brackets_.back().high = high;
            } else {
                if (brackets_.size() == kMostBrackets) return false;
                const T low = first < 0 ? kLowest<T> : sample[static_cast<std::size_t>(first)];
                brackets_.push_back({.low = low, .high = high, .first_rank = r});
            }
            brackets_.back().last_rank = r;
            before = std::max(before, last);
        }
        return true;
    }

    /// Fills the brackets in one pass over all elements. Returns false if one of them is NaN.
    bool collect() {
        std::mutex mutex;
        bool ordered = true;
        const std::vector<Bracket> untouched = brackets_;
        parallel_for(count_, 16 * kPiece, threads_, [&](index_t begin, index_t end) {
            std::vector<Bracket> own = untouched;
            std::vector<T> room(static_cast<std::size_t>(kPiece));
            index_t numbers = 0;
            for (index_t at = begin; at < end; at += kPiece) {
                const index_t length = std::min(kPiece, end - at);
                for (std::size_t b = 0; b < own.size(); ++b) {
                    const index_t found =
                        add_to_bracket(elements_ + at, length, own[b], room.data());
                    if (b == 0) numbers += found;
                }
            }
            const std::lock_guard lock(mutex);
            if (numbers != end - begin) ordered = false;
            for (std::size_t b = 0; b < own.size(); ++b) join(brackets_[b], own[b]);
        });
        return ordered;
    }

    /// Sorts `count` elements, at most kPiece, into a bracket, and returns how many are not NaN.
    /// `room` is scratch for kPiece elements.
    index_t add_to_bracket(const T* elements, index_t count, Bracket& bracket, T* room) const {
        const T low = bracket.low;
        const T high = bracket.high;
        index_t below = 0;
        index_t others = 0;
        for (index_t i = 0; i < count; ++i) {
            below += elements[i] < low;
            others += elements[i] >= low;
        }
        // Without a branch, which would be mispredicted.
        index_t kept = 0;
        for (index_t i = 0; i < count; ++i) {
            room[kept] = elements[i];
            kept += static_cast<int>(elements[i] >= low) & static_cast<int>(elements[i] <= high);
        }
        const auto most = static_cast<std::size_t>(count_ / kKeptShare);
        for (index_t i = 0; i < kept; ++i) {
            if (room[i] == low)
                ++bracket.at_low;
            else if (room[i] == high)
                ++bracket.at_high;
            else if (bracket.inside.size() < most)
                bracket.inside.push_back(room[i]);
        }
        bracket.below += below;
        return below + others;
    }

    static void join(Bracket& all, const Bracket& own) {
        all.below += own.below;
        all.at_low += own.at_low;
        all.at_high += own.at_high;
        all.inside.insert(all.inside.end(), own.inside.begin(), own.inside.end());
    }

    /// Writes the elements of all ranks. Returns false if one is outside of its bracket, or a
    /// bracket has too many elements inside.
    bool select_from_brackets(std::span<const index_t> ranks, T* out) {
        for (Bracket& bracket : brackets_) {
            const index_t inside = std::ssize(bracket.inside);
            if (inside >= count_ / kKeptShare) return false;
            const index_t first = bracket.below + bracket.at_low;
            std::vector<index_t> within;
            for (std::size_t r = bracket.first_rank; r <= bracket.last_rank; ++r) {
                const index_t rank = ranks[r];
                if (rank < bracket.below || rank >= first + inside + bracket.at_high) return false;
                if (rank < first)
                    out[r] = bracket.low;
                else if (rank >= first + inside)
                    out[r] = bracket.high;
                else
                    within.push_back(rank);
            }
            if (within.empty()) continue;
            std::size_t r = bracket.first_rank;
            while (ranks[r] < first) ++r;
            select(bracket.inside.data(), first, first + inside, within, out + r);
        }
        return true;
    }

    const T* elements_;
    index_t count_;
    int threads_;
    std::vector<Bracket> brackets_;
};

} // namespace purview::engine
