#pragma once

#include <purview/base/config.hpp>
#include <purview/dtype/dtype.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace purview::inline v0_1 {

/// IEEE 754's binary16 from a float, rounded to nearest, ties to even; what is too large becomes
/// infinite.
PURVIEW_EXPORT std::uint16_t half_bits(float value) noexcept;
PURVIEW_EXPORT float half_value(std::uint16_t bits) noexcept;
/// The upper half of a float, rounded in the same way.
PURVIEW_EXPORT std::uint16_t bfloat16_bits(float value) noexcept;
PURVIEW_EXPORT float bfloat16_value(std::uint16_t bits) noexcept;

/// A float that rounds to either type as `value` itself does: one rounding of a number to 16 bits
/// is not two, by way of the nearest float.
PURVIEW_EXPORT float odd_float(double value) noexcept;
PURVIEW_EXPORT float odd_float(long double value) noexcept;
PURVIEW_EXPORT float odd_float(std::int64_t value) noexcept;
PURVIEW_EXPORT float odd_float(std::uint64_t value) noexcept;
inline float odd_float(float value) noexcept { return value; }

/// What `odd_float` takes of numbers of type X, without loss.
template <typename X>
using BeforeOdd =
    std::conditional_t<std::is_floating_point_v<X>, X,
                       std::conditional_t<std::is_signed_v<X>, std::int64_t, std::uint64_t>>;

/// A floating-point number of 16 bits, for storage: it is read as a float, and arithmetic on it, of
/// one and of a tensor, is float's: operations on `Tensor<Half>` give tensors of floats, which are
/// rounded when they are assigned to one, or by `cast<Half>`. Made from a number explicitly, because that rounds, once.
template <auto FromFloat, auto ToFloat>
struct Float16Bits {
    std::uint16_t bits = 0;

    constexpr Float16Bits() = default;
    template <typename X>
        requires std::is_arithmetic_v<X>
    explicit Float16Bits(X value) noexcept
        : bits(FromFloat(odd_float(static_cast<BeforeOdd<X>>(value)))) {}
    static constexpr Float16Bits from_bits(std::uint16_t bits) noexcept {
        Float16Bits result;
        result.bits = bits;
        return result;
    }

    operator float() const noexcept { return ToFloat(bits); }
    friend bool operator==(Float16Bits a, Float16Bits b) noexcept {
        return static_cast<float>(a) == static_cast<float>(b);
    }
};

/// IEEE 754's binary16: 11 significant bits, up to 65504.
using Half = Float16Bits<half_bits, half_value>;
/// A float without its lower 16 bits: 8 significant bits, float's range.
using BFloat16 = Float16Bits<bfloat16_bits, bfloat16_value>;

template <>
inline constexpr std::string_view kElementName<Half> = "float16";
template <>
inline constexpr std::string_view kElementName<BFloat16> = "bfloat16";

inline constexpr DType float16 = kDType<Half>;
inline constexpr DType bfloat16 = kDType<BFloat16>;
inline bool is_float16(DType dtype) noexcept { return dtype == float16 || dtype == bfloat16; }

template <>
inline constexpr bool kIsFloat16<Half> = true;
template <>
inline constexpr bool kIsFloat16<BFloat16> = true;

} // namespace purview
