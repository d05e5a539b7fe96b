#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/dtype/dtype.hpp>

#include <limits>
#include <utility>

namespace purview::inline v0_1 {

/// Whether `value` can be converted to `To`. Losing a fraction or precision is allowed. NaN fits no
/// integer type, and a finite number that would become infinite does not fit. Every value fits
/// bool.
template <BuiltinType To, BuiltinType From>
constexpr bool fits(From value) noexcept {
    if constexpr (std::same_as<To, bool> || std::same_as<To, From> || std::same_as<From, bool> ||
                  std::same_as<To, double>) {
        return true;
    } else if constexpr (std::same_as<To, float>) {
        if constexpr (std::same_as<From, double>) {
            // The smallest double that rounds to infinity lies half a step above the largest float.
            constexpr double kLimit = 0x1.ffffffp127;
            return !(value >= kLimit && value <= (std::numeric_limits<double>::max)()) &&
                   !(value <= -kLimit && value >= std::numeric_limits<double>::lowest());
        }
        return true;
    } else if constexpr (std::floating_point<From>) {
        // Truncation moves towards zero, so the bounds are open and one step outside; both are
        // powers of two (or -2^k - 1, exact wherever it matters).
        constexpr int kBits = std::numeric_limits<To>::digits;
        const From above = static_cast<From>(std::uint64_t{1} << (kBits - 1)) * From{2};
        if constexpr (std::is_unsigned_v<To>)
            return value > From{-1} && value < above;
        else if constexpr (kBits >= std::numeric_limits<From>::digits)
            return value >= -above && value < above;
        else
            return value > -above - From{1} && value < above;
    } else {
        return std::in_range<To>(value);
    }
}

/// A conversion that always has a result, the same on every target: integers wrap; a floating value
/// is truncated to 64 bits first (NaN and what lies outside become the lowest int64), then wraps.
template <BuiltinType To, BuiltinType From>
constexpr To wrapping_cast(From value) noexcept {
    if constexpr (std::same_as<To, From>) {
        return value;
    } else if constexpr (std::same_as<To, bool>) {
        return value != From{};
    } else if constexpr (std::floating_point<From> && std::integral<To>) {
        if constexpr (std::same_as<To, std::uint64_t>)
            if (fits<std::uint64_t>(value)) return static_cast<std::uint64_t>(value);
        if (fits<std::int64_t>(value)) return static_cast<To>(static_cast<std::int64_t>(value));
        return static_cast<To>(std::numeric_limits<std::int64_t>::lowest());
    } else if constexpr (std::same_as<To, float> && std::same_as<From, double>) {
        if (fits<float>(value)) return static_cast<float>(value);
        return value > 0 ? kInfiniteNumber<float> : -kInfiniteNumber<float>;
    } else {
        return static_cast<To>(value);
    }
}

/// Throws `CastError: value 254 at index 0 does not fit int8`. If `index` is negative, the message
/// leaves out `at index 0`.
[[noreturn]] PURVIEW_EXPORT void throw_cast(double value, index_t index, DType to);
[[noreturn]] PURVIEW_EXPORT void throw_cast(std::int64_t value, index_t index, DType to);
[[noreturn]] PURVIEW_EXPORT void throw_cast(std::uint64_t value, index_t index, DType to);

template <BuiltinType From>
[[noreturn]] void throw_cast_of(From value, index_t index, DType to) {
    if constexpr (std::floating_point<From>)
        throw_cast(static_cast<double>(value), index, to);
    else if constexpr (std::is_unsigned_v<From>)
        throw_cast(static_cast<std::uint64_t>(value), index, to);
    else
        throw_cast(static_cast<std::int64_t>(value), index, to);
}

/// `value` as `To`. Throws `CastError` naming the value, `index` (if not negative) and the type
/// when it does not fit.
template <BuiltinType To, BuiltinType From>
constexpr To checked_cast(From value, index_t index = -1) {
    if (!fits<To>(value)) [[unlikely]]
        throw_cast_of(value, index, kDType<To>);
    return wrapping_cast<To>(value);
}

} // namespace purview
