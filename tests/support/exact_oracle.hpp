#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace oracle {

/// The exact sum of finite floats, bit by bit: how often each power of two from 2^-1074 on occurs.
class BitCounts {
public:
    void add(double x) {
        int exponent = 0;
        double rest = std::frexp(std::abs(x), &exponent); // rest × 2^exponent
        for (; rest != 0; rest -= std::floor(rest)) {
            rest *= 2;
            --exponent;
            if (rest >= 1) counts_[place(exponent)] += std::signbit(x) ? -1 : 1;
        }
    }
    /// Rounded to nearest, of two that are as near to the even one.
    template <typename T>
    T rounded() const {
        std::vector<std::int64_t> bits = binary(counts_);
        const bool negative = bits.back() != 0;
        if (negative) {
            for (std::int64_t& count : bits = counts_) count = -count;
            bits = binary(bits);
        }
        int top = static_cast<int>(bits.size()) - 1;
        while (top >= 0 && bits[static_cast<std::size_t>(top)] == 0) --top;
        if (top < 0) return 0;
        constexpr int kLeast =
            std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
        const int last =
            std::max(top - std::numeric_limits<T>::digits + 1, static_cast<int>(place(kLeast)));
        double kept = 0;
        for (int i = top; i >= last; --i)
            kept = 2 * kept + static_cast<double>(bits[static_cast<std::size_t>(i)]);
        bool sticky = false;
        for (int i = 0; i < last - 1; ++i) sticky |= bits[static_cast<std::size_t>(i)] != 0;
        const bool half = last > 0 && bits[static_cast<std::size_t>(last - 1)] != 0;
        if (half && (sticky || std::fmod(kept, 2) != 0)) kept += 1;
        const auto result = static_cast<T>(std::ldexp(kept, last - 1074)); // exact, or infinite
        return negative ? -result : result;
    }

private:
    static constexpr std::size_t place(int exponent) {
        return static_cast<std::size_t>(exponent + 1074);
    }
    /// With every bit 0 or 1, in two's complement: the last one is the sign.
    static std::vector<std::int64_t> binary(std::vector<std::int64_t> counts) {
        std::int64_t carry = 0;
        for (std::int64_t& count : counts) {
            count += carry;
            carry = count >> 1;
            count &= 1;
        }
        return counts;
    }

    std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(2200, 0);
};

} // namespace oracle
