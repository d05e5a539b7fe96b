#pragma once

#include <purview/dtype/dtype.hpp>

#include "engine/order/sort_keys.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1::engine {

/// A sort key of 64 bits, of any type: that of a float has its bits first, that of an integer last.
using WideKey = std::uint64_t;

template <typename T>
WideKey wide_key_of(T value) noexcept {
    if constexpr (std::floating_point<T>)
        return WideKey{key_of(value)} << (64 - 8 * sizeof(T));
    else if constexpr (std::signed_integral<T>)
        return key_of(std::int64_t{value});
    else
        return value;
}

/// An element with this key; 0 of either zero, and a NaN.
template <typename T>
T element_of_wide_key(WideKey key) noexcept {
    if constexpr (std::floating_point<T>)
        return element_of_key<T>(static_cast<BitsOf<T>>(key >> (64 - 8 * sizeof(T))), false);
    else if constexpr (std::signed_integral<T>)
        return static_cast<T>(element_of_key<std::int64_t>(key, false));
    else
        return static_cast<T>(key);
}

/// Divides all keys of a type into ascending intervals, narrow around 0 and as wide as a share of their
/// magnitude far from it: by the first bits of floats, and of integers as if these were floats.
class KeyIntervals {
public:
    /// 2^bits of them, of which some may have no key; 8 <= bits.
    KeyIntervals(DType dtype, int bits) noexcept
        : bits_(bits),
          kind_(dtype.is_floating() ? Kind::floating
                : dtype == int64 || dtype == int32 || dtype == int16 || dtype == int8
                    ? Kind::with_sign
                    : Kind::without_sign) {}

    std::size_t count() const noexcept { return std::size_t{1} << bits_; }

    /// Calls `f(interval_of)` with the function of keys that gives the number of their interval.
    template <typename F>
    void with_numbers(F f) const {
        switch (kind_) {
        case Kind::floating: return f([shift = 64 - bits_](WideKey key) { return key >> shift; });
        case Kind::without_sign:
            return f([kept = bits_ - 5](WideKey key) { return of_magnitude(key, kept); });
        case Kind::with_sign:
            return f([half = WideKey{1} << (bits_ - 1), kept = bits_ - 6](WideKey key) {
                constexpr WideKey kZero = WideKey{1} << 63;
                return key >= kZero ? half + of_magnitude(key - kZero, kept)
                                    : half - 1 - of_magnitude(kZero - 1 - key, kept);
            });
        }
    }

    /// The least and the greatest key of an interval that has any.
    WideKey first(std::size_t interval) const {
        WideKey first = 0;
        with_numbers([&](auto interval_of) {
            for (int bit = 63; bit >= 0; --bit)
                if (interval_of(first + (WideKey{1} << bit) - 1) < interval)
                    first += WideKey{1} << bit;
        });
        return first;
    }
    WideKey last(std::size_t interval) const {
        WideKey last = ~WideKey{0};
        with_numbers([&](auto interval_of) {
            for (int bit = 63; bit >= 0; --bit)
                if (interval_of(last - (WideKey{1} << bit) + 1) > interval)
                    last -= WideKey{1} << bit;
        });
        return last;
    }

private:
    enum class Kind : std::uint8_t { floating, with_sign, without_sign };

    /// Numbers below 2^kept are intervals of their own; others share one with those that have the same
    /// first `kept` bits.
    static WideKey of_magnitude(WideKey number, int kept) noexcept {
        const int dropped = std::max(static_cast<int>(std::bit_width(number)) - kept, 0);
        return (static_cast<WideKey>(dropped) << (kept - 1)) + (number >> dropped);
    }

    int bits_;
    Kind kind_;
};

} // namespace purview::engine
