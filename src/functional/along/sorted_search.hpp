#pragma once

#include <purview/base/index.hpp>
#include <purview/functional/along/searchsorted.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

/// `<` of numbers without a branch, with NaN after all others.
struct NumberOrder {
    template <typename T>
    static bool comes_before(T a, T b) noexcept {
        if constexpr (std::floating_point<T>)
            return (a < b) | ((b != b) & (a == a));
        else
            return a < b;
    }
};

/// The same of the counts of times, with NaT, the lowest of a signed integer, after all others.
struct TimeOrder {
    template <typename C>
    static bool comes_before(C a, C b) noexcept {
        if constexpr (std::signed_integral<C>)
            return from_second_lowest(a) < from_second_lowest(b);
        else
            return NumberOrder::comes_before(a, b);
    }

private:
    template <typename C>
    static auto from_second_lowest(C count) noexcept {
        using U = std::make_unsigned_t<C>;
        return static_cast<U>(static_cast<U>(count) -
                              static_cast<U>(std::numeric_limits<C>::min()) - 1U);
    }
};

/// Finds the places of several values at a time among sorted numbers: each step of the searches
/// prefetches for all of them before it waits for one. For ascending values a search begins where
/// the previous one ended.
template <typename T, Side side, typename Order = NumberOrder>
class SortedSearch {
public:
    SortedSearch(const T* sorted, index_t count) : sorted_(sorted), count_(count) {}

    void find(const T* values, index_t n, std::int64_t* out) const {
        index_t begin = 0;
        for (; begin + kLanes <= n; begin += kLanes) {
            if (ascend(values + begin))
                follow(values, begin, out);
            else
                search(values + begin, out + begin);
        }
        for (; begin < n; ++begin) out[begin] = place_of(values[begin], 0, count_);
    }

private:
    static constexpr index_t kLanes = 16;

    static bool comes_before(T a, T b) noexcept { return Order::comes_before(a, b); }

    /// Whether an element comes before the place of a value.
    static bool lies_before(T element, T value) noexcept {
        return side == Side::left ? comes_before(element, value) : !comes_before(value, element);
    }
    static index_t step_if(bool condition, index_t step) noexcept {
        return -static_cast<index_t>(condition) & step;
    }
    static bool ascend(const T* values) noexcept {
        bool fall = false;
        for (index_t lane = 1; lane < kLanes; ++lane)
            fall |= comes_before(values[lane], values[lane - 1]);
        return !fall;
    }

    void search(const T* values, std::int64_t* out) const {
        index_t first[kLanes] = {};
        if (count_ > 0) {
            for (index_t length = count_; length > 1;) {
                const index_t half = length / 2;
                for (index_t lane = 0; lane < kLanes; ++lane)
                    first[lane] +=
                        step_if(lies_before(sorted_[first[lane] + half - 1], values[lane]), half);
                length -= half;
            }
            for (index_t lane = 0; lane < kLanes; ++lane)
                first[lane] += lies_before(sorted_[first[lane]], values[lane]);
        }
        std::copy_n(first, kLanes, out);
    }

    /// The same for lanes in ascending order: each is searched from the place of the one before it,
    /// in doubling steps.
    void follow(const T* values, index_t begin, std::int64_t* out) const {
        for (index_t i = begin; i < begin + kLanes; ++i) {
            index_t low =
                i > 0 && !comes_before(values[i], values[i - 1]) ? index_t{out[i - 1]} : 0;
            index_t step = 1;
            index_t high = low;
            while (high < count_ && lies_before(sorted_[high], values[i])) {
                low = high + 1;
                high = step < count_ - high ? high + step : count_;
                step *= 2;
            }
            out[i] = place_of(values[i], low, high);
        }
    }

    index_t place_of(T value, index_t low, index_t high) const {
        while (low < high) {
            const index_t middle = low + (high - low) / 2;
            if (lies_before(sorted_[middle], value))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const T* sorted_;
    index_t count_;
};

} // namespace purview
