#pragma once

#include <purview/evaluation/sorting.hpp>

#include "engine/order/sort_keys.hpp"
#include "engine/order/sorted_parts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace purview::inline v0_1::engine {

/// The elements of a part as integers: from 0 on in the order asked for, equal for equal elements
/// (-0 and 0 too), those of NaN the greatest in either order. Elements that change after they were
/// counted, as another thread may write to memory that is wrapped, get ranks in the same range, so
/// that whatever has been sized by it has room for them.
template <typename T>
class ElementRanks {
public:
    using Rank = BitsOf<T>;

    ElementRanks(const T* elements, index_t count, int threads, SortOrder order)
        : descending_(order == SortOrder::descending) {
        find_range(elements, count, threads);
    }

    bool descending() const noexcept { return descending_; }
    index_t nans() const noexcept { return nans_; }
    /// The greatest rank of a number, and of any element.
    Rank range() const noexcept { return range_; }
    Rank greatest() const noexcept { return static_cast<Rank>(nans_ > 0 ? range_ + 1 : range_); }

    Rank of(T value) const noexcept {
        const Rank k = key_of(value);
        if (std::floating_point<T> && value != value) return greatest();
        return std::min(static_cast<Rank>(descending_ ? greatest_ - k : k - least_), range_);
    }

    /// 0 of either zero.
    T value_of(Rank rank) const noexcept {
        const auto k = static_cast<Rank>(descending_ ? greatest_ - rank : least_ + rank);
        if constexpr (std::floating_point<T>)
            return rank > range_ ? std::numeric_limits<T>::quiet_NaN()
                                 : std::bit_cast<T>((k & kSign) != 0 ? k ^ kSign : ~k);
        else if constexpr (std::signed_integral<T>)
            return static_cast<T>(k ^ kSign);
        else
            return static_cast<T>(k);
    }

private:
    static constexpr Rank kSign = Rank{1} << (sizeof(T) * 8 - 1);
    static constexpr index_t kLanes = 8;

    /// Finds the least and the greatest key of numbers, and how many are NaN.
    void find_range(const T* elements, index_t count, int threads) {
        struct Found {
            T least;
            T greatest;
            index_t nans;
        };
        std::vector<Found> all(static_cast<std::size_t>(threads));
        for_each_share(count, threads, [&](std::size_t share, index_t begin, index_t end) {
            std::array<T, static_cast<std::size_t>(kLanes)> least;
            std::array<T, static_cast<std::size_t>(kLanes)> greatest;
            least.fill(kHighest<T>);
            greatest.fill(kLowest<T>);
            index_t nans = 0;
            const auto add = [&](index_t i, std::size_t lane) {
                const T x = elements[i];
                least[lane] = x < least[lane] ? x : least[lane];
                greatest[lane] = x > greatest[lane] ? x : greatest[lane];
                nans += x != x;
            };
            index_t i = begin;
            for (; i + kLanes <= end; i += kLanes)
                for (std::size_t lane = 0; lane < least.size(); ++lane)
                    add(i + static_cast<index_t>(lane), lane);
            for (; i < end; ++i) add(i, 0);
            all[share] = {*std::ranges::min_element(least), *std::ranges::max_element(greatest),
                          nans};
        });
        T least = kHighest<T>;
        T greatest = kLowest<T>;
        for (const Found& found : all) {
            least = std::min(least, found.least);
            greatest = std::max(greatest, found.greatest);
            nans_ += found.nans;
        }
        if (nans_ == count) return;
        least_ = key_of(least);
        greatest_ = key_of(greatest);
        range_ = static_cast<Rank>(greatest_ - least_);
    }

    bool descending_;
    Rank least_ = 0;
    Rank greatest_ = 0;
    Rank range_ = 0;
    index_t nans_ = 0;
};

} // namespace purview::engine
