#include "evaluation/exact_accumulator.hpp"

#include <algorithm>
#include <bit>

namespace purview::inline v0_1 {
namespace {

/// Brings the digits from `first` on into [0, 2^32); the last takes what is left over, and the sign.
void carry_digits(std::int64_t* digits, std::size_t first, std::size_t last) noexcept {
    for (std::size_t k = first; k < last; ++k) {
        const std::int64_t carried = digits[k] >> 32;
        digits[k] -= carried * (std::int64_t{1} << 32);
        digits[k + 1] += carried;
    }
}

/// 64 bits of a number that is not negative, from a place on.
std::uint64_t bits_from(const std::int64_t* digits, int place) noexcept {
    const auto digit = [&](int k) {
        return k < static_cast<int>(ExactAccumulator::kDigits)
                   ? static_cast<std::uint64_t>(digits[k])
                   : 0;
    };
    const int k = place / 32;
    const int shift = place % 32;
    const std::uint64_t low = (digit(k) | digit(k + 1) << 32) >> shift;
    return shift == 0 ? low : low | digit(k + 2) << (64 - shift);
}

bool any_below(const std::int64_t* digits, int place) noexcept {
    const std::int64_t* const last = digits + place / 32;
    return std::any_of(digits, last, [](std::int64_t digit) { return digit != 0; }) ||
           (*last & ((std::int64_t{1} << place % 32) - 1)) != 0;
}

} // namespace

ExactAccumulator::ExactAccumulator(const State& state) noexcept : words_(state) { carry(); }

ExactAccumulator::State ExactAccumulator::state() const noexcept {
    ExactAccumulator carried(*this);
    carried.carry();
    return carried.words_;
}

void ExactAccumulator::carry() noexcept {
    carry_digits(words_.data(), 0, kDigits - 1);
    for (std::size_t note = kDigits; note < words_.size(); ++note)
        words_[note] = words_[note] != 0 ? 1 : 0;
    uncarried_ = 0;
}

template <typename T>
void ExactAccumulator::add_all(std::span<const T> values) noexcept {
    using Layout = FloatLayout<T>;
    constexpr std::size_t kMost = 1 << 20;
    while (!values.empty()) {
        const auto part = values.first(std::min(values.size(), kMost));
        values = values.subspan(part.size());
        bool seen[2] = {}; // -0, others
        for (const T value : part) {
            const std::uint64_t bits = std::bit_cast<typename Layout::Bits>(value);
            const auto field = static_cast<int>(bits >> Layout::kFractionBits & Layout::kNotFinite);
            const bool negative = bits >> (8 * sizeof(T) - 1) != 0;
            const std::uint64_t fraction = bits & (Layout::kLeadingBit - 1);
            if (field == Layout::kNotFinite) [[unlikely]] {
                words_[fraction != 0 ? kNaN : negative ? kMinusInfinity : kInfinity] = 1;
                continue;
            }
            const std::uint64_t number = field > 0 ? fraction | Layout::kLeadingBit : fraction;
            seen[number != 0 || !negative] = true;
            add_digits(number, Layout::place_of(field), negative);
        }
        if (seen[0]) words_[kMinusZero] = 1;
        if (seen[1]) words_[kOther] = 1;
        uncarried_ += static_cast<std::int32_t>(part.size());
        if (uncarried_ >= kMostUncarried) carry();
    }
}

void ExactAccumulator::add(double value) noexcept { add_all(std::span<const double>(&value, 1)); }
void ExactAccumulator::add(float value) noexcept { add_all(std::span<const float>(&value, 1)); }
void ExactAccumulator::add(std::span<const double> values) noexcept { add_all(values); }
void ExactAccumulator::add(std::span<const float> values) noexcept { add_all(values); }

void ExactAccumulator::merge(const ExactAccumulator& other) noexcept {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] += other.words_[k];
    uncarried_ += other.uncarried_ + 1;
    if (uncarried_ >= kMostUncarried) carry();
}

template <typename T>
T ExactAccumulator::value() const noexcept {
    using Layout = FloatLayout<T>;
    using Limits = std::numeric_limits<T>;
    constexpr auto kSignBit = typename Layout::Bits{1} << (8 * sizeof(T) - 1);
    if (words_[kNaN] != 0 || (words_[kInfinity] != 0 && words_[kMinusInfinity] != 0))
        return Limits::quiet_NaN();
    if (words_[kInfinity] != 0) return Limits::infinity();
    if (words_[kMinusInfinity] != 0) return -Limits::infinity();

    std::size_t first = 0;
    while (first < kDigits && words_[first] == 0) ++first;
    const T zero = words_[kMinusZero] != 0 && words_[kOther] == 0 ? -T{0} : T{0};
    if (first == kDigits) return zero;
    std::size_t last = kDigits - 1;
    while (words_[last] == 0) --last;
    // The digit above is enough for what is carried, and the sign.
    last = std::min(last + 1, kDigits - 1);
    State sum = words_;
    carry_digits(sum.data(), first, last);
    const bool negative = sum[last] < 0;
    if (negative) {
        for (std::size_t k = first; k <= last; ++k) sum[k] = -sum[k];
        carry_digits(sum.data(), first, last);
    }
    while (last > 0 && sum[last] == 0) --last;
    if (sum[last] == 0) return zero;
    const auto highest = static_cast<std::uint64_t>(sum[last]);
    const int top = 32 * static_cast<int>(last) + static_cast<int>(std::bit_width(highest)) - 1;
    // The place of the lowest bit that stays.
    const int place = std::max(top - Layout::kFractionBits, Layout::kLowestPlace);
    std::uint64_t kept = bits_from(sum.data(), place);
    if (place > 0 && (bits_from(sum.data(), place - 1) & 1) != 0 &&
        ((kept & 1) != 0 || any_below(sum.data(), place - 1)))
        ++kept;
    // The leading bit adds one to the field of the exponent; subnormal numbers have none. A fraction
    // that is rounded up to the next power of two does so once more.
    const std::uint64_t bits =
        kept + (static_cast<std::uint64_t>(place - Layout::kLowestPlace) << Layout::kFractionBits);
    constexpr std::uint64_t kInfinite = static_cast<std::uint64_t>(Layout::kNotFinite)
                                        << Layout::kFractionBits;
    const auto magnitude = static_cast<typename Layout::Bits>(std::min(bits, kInfinite));
    return std::bit_cast<T>(
        static_cast<typename Layout::Bits>(negative ? magnitude | kSignBit : magnitude));
}

template float ExactAccumulator::value() const noexcept;
template double ExactAccumulator::value() const noexcept;

} // namespace purview
