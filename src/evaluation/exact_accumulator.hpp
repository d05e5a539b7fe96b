#pragma once

#include <purview/base/index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace purview::inline v0_1 {

/// The parts of a float of IEEE 754: the sign, the field of the exponent, the fraction.
template <typename T>
struct FloatLayout {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static constexpr int kFractionBits = std::numeric_limits<T>::digits - 1;
    static constexpr std::uint64_t kLeadingBit = std::uint64_t{1} << kFractionBits;
    static constexpr int kExponents = 2 * std::numeric_limits<T>::max_exponent; ///< fields
    static constexpr int kNotFinite = kExponents - 1; ///< the field of infinities and NaN
    /// The place of the lowest bit of the smallest number, where 0 is that of float64.
    static constexpr int kLowestPlace =
        1074 + std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;

    /// The place of the lowest bit of a fraction: subnormal numbers have that of the next field.
    static constexpr int place_of(int field) noexcept {
        return kLowestPlace + (field > 0 ? field - 1 : 0);
    }
};

/// The exact sum of floats: a fixed-point number, as every float64 is a multiple of 2^-1074, in
/// digits of 32 bits that are integers, with room for carries (the small superaccumulator of Neal,
/// "Fast exact summation using small and large superaccumulators", 2015). What is added, and in what
/// order and parts, is the same to it: sums of the same numbers have the same state. It has room for
/// 2^63 numbers; NaN and infinities are noted beside the digits.
///
/// 6 ns for a number, less than 0.1 µs to merge or to round. Trivially copyable.
class PURVIEW_EXPORT ExactAccumulator {
public:
    static constexpr std::size_t kDigits = 68;
    /// The digits from the lowest on, each in [0, 2^32) but the last, which has the sign; then 0 or
    /// 1 for each of what has been added: NaN, +inf, -inf, -0, other numbers. States may be added word
    /// by word, up to 2^29 of them, as by `MPI_SUM`: that is a state of the whole.
    using State = std::array<std::int64_t, kDigits + 5>;

    ExactAccumulator() = default;
    explicit ExactAccumulator(const State& state) noexcept;
    State state() const noexcept;

    void add(double value) noexcept;
    void add(float value) noexcept;
    void add(std::span<const double> values) noexcept;
    void add(std::span<const float> values) noexcept;
    /// Adds `bits` × 2^(`place` - 1074), or subtracts it. At places where a float64 may have its
    /// lowest bit.
    void add_bits(std::uint64_t bits, int place, bool negative) noexcept {
        add_digits(bits, place, negative);
        words_[negative && bits == 0 ? kMinusZero : kOther] = 1;
        if (++uncarried_ >= kMostUncarried) carry();
    }
    void merge(const ExactAccumulator& other) noexcept;

    /// The sum, rounded once, to the nearest float32 or float64, of two that are equally near to
    /// the even one: IEEE 754's result of one addition. Infinite only if the sum itself rounds so,
    /// or an infinity was added; NaN for infinities of both signs. 0 if nothing was added; -0 if
    /// nothing but -0.
    template <typename T>
    T value() const noexcept;

private:
    static constexpr std::uint64_t kDigitMask = 0xffffffff;
    static constexpr std::int32_t kMostUncarried = 1 << 29;
    enum Note : std::size_t { kNaN = kDigits, kInfinity, kMinusInfinity, kMinusZero, kOther };

    void add_digits(std::uint64_t bits, int place, bool negative) noexcept {
        const auto shift = static_cast<unsigned>(place) % 32;
        const std::uint64_t above = bits >> (32 - shift);
        std::int64_t* const digit = words_.data() + static_cast<unsigned>(place) / 32;
        const auto sign = -static_cast<std::int64_t>(negative); // x ^ sign - sign: ±x
        digit[0] += (static_cast<std::int64_t>((bits << shift) & kDigitMask) ^ sign) - sign;
        digit[1] += (static_cast<std::int64_t>(above & kDigitMask) ^ sign) - sign;
        digit[2] += (static_cast<std::int64_t>(above >> 32) ^ sign) - sign;
    }
    template <typename T>
    void add_all(std::span<const T> values) noexcept;
    void carry() noexcept;

    State words_{};
    std::int32_t uncarried_ = 0; ///< digits are at most as many times 2^32, and one more
};
static_assert(std::is_trivially_copyable_v<ExactAccumulator>);

extern template PURVIEW_EXPORT float ExactAccumulator::value() const noexcept;
extern template PURVIEW_EXPORT double ExactAccumulator::value() const noexcept;

} // namespace purview
