#pragma once

#include "order/bisected.hpp"
#include "order/ordered_key.hpp"

#include <purview/evaluation/parallel.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Finds the keys at positions of the order of all ranks' elements, from their highest bits on: in each step each rank counts the next
/// bits of its keys that agree with what has been found, and the counts are summed. Keys that may still be found are kept once they are few.
template <typename T>
class Selection {
public:
    using Key = BitsOf<T>;

    /// Takes all memory that is needed for elements.
    Selection(const T* elements, index_t count)
        : elements_(elements), count_(count), kept_(static_cast<std::size_t>(count / kFew)) {}

    /// The keys at `positions`, ascending ones, below the number of all elements. A call of all ranks.
    std::vector<Key> run(Ranks& ranks, const char* what, std::vector<std::int64_t> positions) {
        std::vector<std::uint64_t> found(positions.size(), 0);
        for (int left = sizeof(T) * 8; left > 0;) {
            prefixes_ = found;
            prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
            keep_few(left);
            const int step = std::min(prefixes_.size() <= 8 ? 11 : 8, left);
            left -= step;
            std::vector<std::int64_t> counts(prefixes_.size() << step, 0);
            count_digits(left, step, counts);
            add_up(ranks, what, ranks.all(), counts);
            for (std::size_t t = 0; t < positions.size(); ++t) {
                const std::int64_t* count = counts.data() + (number_of(found[t]) << step);
                std::uint64_t digit = 0;
                for (; positions[t] >= *count; ++count, ++digit) positions[t] -= *count;
                found[t] = found[t] << step | digit;
            }
        }
        return {found.begin(), found.end()};
    }

private:
    static constexpr index_t kFew = 8; ///< keys are kept when they are an eighth of all
    static constexpr index_t kGrain = index_t{1} << 15;
    static constexpr double kNanosecondsEach = 2;

    std::size_t number_of(std::uint64_t prefix) const noexcept {
        if (prefixes_.size() == 1) return prefixes_[0] == prefix ? 0 : 1;
        const auto at = std::lower_bound(prefixes_.begin(), prefixes_.end(), prefix);
        return at == prefixes_.end() || *at != prefix
                   ? prefixes_.size()
                   : static_cast<std::size_t>(at - prefixes_.begin());
    }

    /// The bits of a key above the lowest `left`.
    static std::uint64_t above(Key key, int left) noexcept {
        return left >= 64 ? 0 : std::uint64_t{key} >> left;
    }

    template <typename F>
    void for_each_key(index_t begin, index_t end, F f) const {
        if (is_kept_)
            for (index_t i = begin; i < end; ++i) f(kept_[static_cast<std::size_t>(i)]);
        else
            for (index_t i = begin; i < end; ++i) f(ordered_key(elements_[i]));
    }

    void count_digits(int left, int step, std::vector<std::int64_t>& counts) {
        const std::uint64_t mask = (std::uint64_t{1} << step) - 1;
        std::mutex mutex;
        parallel_ranges(count_, kGrain, static_cast<double>(count_) * kNanosecondsEach,
                        [&](index_t begin, index_t end) {
                            std::vector<std::int64_t> own(counts.size(), 0);
                            for_each_key(begin, end, [&](Key key) {
                                const std::size_t number = number_of(above(key, left + step));
                                if (number < prefixes_.size())
                                    ++own[(number << step) + (std::uint64_t{key} >> left & mask)];
                            });
                            const std::lock_guard lock(mutex);
                            for (std::size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
                        });
        own_counts_ = counts;
        step_ = step;
        previous_ = prefixes_;
    }

    /// Before the next step: keeps the keys of this rank that agree with what has been found, if there is room.
    void keep_few(int left) {
        if (previous_.empty()) return;
        index_t few = 0;
        for (const std::uint64_t prefix : prefixes_) {
            const auto at = std::lower_bound(previous_.begin(), previous_.end(), prefix >> step_) -
                            previous_.begin();
            few += own_counts_[(static_cast<std::size_t>(at) << step_) +
                               (prefix & ((std::uint64_t{1} << step_) - 1))];
        }
        if (few > std::ssize(kept_) || few == count_) return;
        auto to = kept_.begin(); // which may be where they are read
        for_each_key(0, count_, [&](Key key) {
            if (number_of(above(key, left)) < prefixes_.size()) *to++ = key;
        });
        is_kept_ = true;
        count_ = few;
    }

    const T* elements_;
    index_t count_;
    std::vector<Key> kept_;
    bool is_kept_ = false;
    std::vector<std::uint64_t> prefixes_; ///< what has been found, ascending, each once
    std::vector<std::uint64_t> previous_;
    std::vector<std::int64_t> own_counts_;
    int step_ = 0;
};

} // namespace purview
