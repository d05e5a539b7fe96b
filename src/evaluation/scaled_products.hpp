#pragma once

#include <purview/expression/node.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

/// A product of floats whose exponent is kept apart, so that it neither overflows nor underflows on
/// the way to its value: where plain multiplication does neither, the bits are those of it.
/// `T` is double or std::complex<double>. Trivially copyable.
template <typename T>
struct ScaledProduct {
    T significand{1};
    std::int64_t exponent = 0; ///< of two

    ScaledProduct() = default;
    explicit ScaledProduct(T value) noexcept : significand(value) { scale(); }

    void multiply(const ScaledProduct& more) noexcept {
        constexpr std::int64_t kMost = std::int64_t{1} << 61; // sums do not overflow
        significand *= more.significand;
        exponent = std::clamp(exponent + more.exponent, -kMost, kMost);
        scale();
    }
    void multiply(T factor) noexcept { multiply(ScaledProduct(factor)); }

    /// Rounded to `E`: infinite or zero only where the product is.
    template <typename E>
    E value() const noexcept {
        constexpr std::int64_t kFar = 1 << 14; // more than the exponents of two float64
        const int power = static_cast<int>(std::clamp(exponent, -kFar, kFar));
        if constexpr (std::is_same_v<T, double>) {
            return static_cast<E>(std::ldexp(significand, power));
        } else {
            using Part = typename E::value_type;
            return {static_cast<Part>(std::ldexp(significand.real(), power)),
                    static_cast<Part>(std::ldexp(significand.imag(), power))};
        }
    }

    /// Moves the exponent of the larger part out of the significand, which is then in [1, 2), or 0,
    /// or not finite.
    void scale() noexcept {
        if constexpr (std::is_same_v<T, double>) {
            significand = significand_of(significand, exponent);
        } else {
            std::int64_t power = 0;
            significand_of(std::max(std::abs(significand.real()), std::abs(significand.imag())),
                           power);
            const int down = static_cast<int>(-power);
            significand = {std::ldexp(significand.real(), down),
                           std::ldexp(significand.imag(), down)};
            exponent += power;
        }
    }

    /// `x` divided by a power of two, so that it is in [1, 2); its exponent is added to `exponent`.
    /// Zeros, infinities and NaN stay as they are. Without branches.
    static double significand_of(double x, std::int64_t& exponent) noexcept {
        constexpr std::uint64_t kField = 0x7ff0'0000'0000'0000;
        constexpr std::uint64_t kFieldOfOne = 0x3ff0'0000'0000'0000;
        const bool is_small = std::abs(x) < std::numeric_limits<double>::min();
        x *= is_small ? 0x1p64 : 1.0;
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const std::uint64_t field = bits & kField;
        const bool is_ordinary = field != 0 && field != kField;
        const std::int64_t power =
            static_cast<std::int64_t>(field >> 52) - (is_small ? 1087 : 1023);
        exponent += is_ordinary ? power : 0;
        return is_ordinary ? std::bit_cast<double>((bits & ~kField) | kFieldOfOne) : x;
    }
};

/// The type that products of `E`, a float or a complex number, are made in.
template <typename E>
using ScaledProductOf =
    ScaledProduct<std::conditional_t<std::is_floating_point_v<E>, double, std::complex<double>>>;

/// Whether a product may have left the range of its type on the way: it is not finite, or less than
/// the least normal number.
template <typename E>
bool may_have_left_range(E product) noexcept {
    if constexpr (std::is_floating_point_v<E>) {
        using Limits = std::numeric_limits<E>;
        return !(std::abs(product) >= Limits::min() && std::abs(product) <= Limits::max());
    } else {
        using Part = typename E::value_type;
        return !std::isfinite(product.real()) || !std::isfinite(product.imag()) ||
               may_have_left_range<Part>(
                   std::max(std::abs(product.real()), std::abs(product.imag())));
    }
}

/// The products of each of `groups` equal parts of the global order, of float32, float64 or complex
/// numbers `E`, in memory of the host. As `reduce_groups`; parts whose plain product may have left the range
/// of its type are multiplied again, with exponents apart.
template <typename E>
PURVIEW_EXPORT void scaled_products(const Operand& source, index_t groups, ScaledProductOf<E>* out);

} // namespace purview
