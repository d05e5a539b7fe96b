#include "interop/arrow_decimals.hpp"

#include "base/number_from_chars.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace purview::inline v0_1::arrow {
namespace {

using Limbs = std::array<std::uint32_t, 8>; ///< the least first
constexpr std::int64_t kExact = std::int64_t{1} << 53;
constexpr std::array<double, 23> kPowersOf10 = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

Limbs limbs_of(std::span<const std::byte> integer, bool is_negative) {
    Limbs limbs{};
    if (is_negative) limbs.fill(std::numeric_limits<std::uint32_t>::max());
    std::memcpy(limbs.data(), integer.data(), integer.size());
    if constexpr (std::endian::native == std::endian::big)
        std::reverse(limbs.begin(),
                     limbs.begin() + static_cast<std::ptrdiff_t>(integer.size() / 4));
    return limbs;
}

void negate(Limbs& limbs) {
    std::uint64_t carry = 1;
    for (std::uint32_t& limb : limbs) {
        carry += static_cast<std::uint32_t>(~limb);
        limb = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
}

/// The remainder of a division by 10⁹, which it becomes the quotient of.
std::uint32_t divided(Limbs& limbs) {
    std::uint64_t rest = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
        rest = (rest << 32) | limbs[i];
        limbs[i] = static_cast<std::uint32_t>(rest / 1'000'000'000);
        rest %= 1'000'000'000;
    }
    return static_cast<std::uint32_t>(rest);
}

} // namespace

double decimal_number(std::span<const std::byte> integer, index_t places) {
    const auto top = static_cast<std::uint8_t>(
        std::endian::native == std::endian::little ? integer.back() : integer.front());
    const bool is_negative = (top & 0x80) != 0;
    Limbs limbs = limbs_of(integer, is_negative);
    // Integers and powers of 10 that float64 holds give the nearest at once.
    const auto low = static_cast<std::int64_t>((std::uint64_t{limbs[1]} << 32) | limbs[0]);
    const std::uint32_t sign = is_negative ? std::numeric_limits<std::uint32_t>::max() : 0;
    const bool is_short = std::all_of(limbs.begin() + 2, limbs.end(),
                                      [&](std::uint32_t limb) { return limb == sign; });
    if (is_short && low >= -kExact && low <= kExact && places >= 0 &&
        places < std::ssize(kPowersOf10))
        return static_cast<double>(low) / kPowersOf10[static_cast<std::size_t>(places)];
    if (is_negative) negate(limbs);
    std::array<char, 128> text{};
    char* const begin = text.data() + (is_negative ? 1 : 0);
    char* digits = text.data() + 96;
    char* const digits_end = digits;
    while (std::any_of(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; })) {
        std::uint32_t nine = divided(limbs);
        for (int d = 0; d < 9; ++d, nine /= 10) *--digits = static_cast<char>('0' + nine % 10);
    }
    if (digits == digits_end) return 0.0;
    text[0] = '-';
    char* end = std::copy(digits, digits_end, begin);
    *end++ = 'e';
    end = std::to_chars(end, text.data() + text.size(), -places).ptr;
    double number = 0;
    const auto read = number_from_chars(text.data(), end, number);
    if (read.ec != std::errc::result_out_of_range) return number;
    const double beyond = places < 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return is_negative ? -beyond : beyond;
}

} // namespace purview::arrow
