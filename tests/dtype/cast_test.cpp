#include "support/catch.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/visit.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace cast_test {

namespace pv = purview;

namespace {

/// Wide enough to hold every built-in number exactly: 64 bits of mantissa.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

/// Values of a type where casts have their edges: around every power of two, both signs, and some at
/// random.
template <typename T>
std::vector<T> edge_values() {
    std::vector<T> values;
    if constexpr (std::same_as<T, bool>) {
        return {false, true};
    } else if constexpr (std::integral<T>) {
        if constexpr (sizeof(T) == 1) {
            for (int i = std::numeric_limits<T>::lowest(); i <= std::numeric_limits<T>::max(); ++i)
                values.push_back(static_cast<T>(i));
            return values;
        }
        for (int bit = 0; bit < 64; ++bit)
            for (const int near : {-2, -1, 0, 1, 2})
                for (const bool negative : {false, true}) {
                    const std::uint64_t power =
                        (std::uint64_t{1} << bit) + static_cast<std::uint64_t>(near);
                    values.push_back(static_cast<T>(negative ? 0 - power : power));
                }
        std::mt19937_64 random(7);
        for (int i = 0; i < 300; ++i) values.push_back(static_cast<T>(random() >> (random() % 64)));
        return values;
    } else {
        using Limits = std::numeric_limits<T>;
        for (int exponent = -3; exponent <= 66; ++exponent) {
            const T power = std::ldexp(T{1}, exponent);
            for (const T offset : {T{-1}, T{-0.5}, T{0}, T{0.5}, T{1}, T{1.5}})
                for (const T near : {power + offset, std::nextafter(power + offset, Limits::max()),
                                     std::nextafter(power + offset, Limits::lowest())}) {
                    values.push_back(near);
                    values.push_back(-near);
                }
        }
        for (const T value :
             {T{0}, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
              Limits::denorm_min(), static_cast<T>(std::numeric_limits<float>::max())}) {
            values.push_back(value);
            values.push_back(-value);
        }
        if constexpr (std::same_as<T, double>) {
            // Where rounding to float becomes infinite, and just before.
            constexpr double kTie = 0x1.ffffffp127;
            for (const double value : {kTie, std::nextafter(kTie, 0), std::nextafter(kTie, 1e300),
                                       1e39, 1e300, 0x1p-149, 0x1p-150, 0x1.8p-150}) {
                values.push_back(value);
                values.push_back(-value);
            }
        }
        return values;
    }
}

/// Whether a value fits, by arithmetic that is exact throughout.
template <typename To, typename From>
bool oracle_fits(From value) {
    if constexpr (std::same_as<To, bool>) {
        return true;
    } else if constexpr (std::integral<To>) {
        const Exact exact = static_cast<Exact>(value);
        if (std::isnan(exact)) return false;
        const Exact truncated = std::trunc(exact);
        return truncated >= static_cast<Exact>(std::numeric_limits<To>::lowest()) &&
               truncated <= static_cast<Exact>(std::numeric_limits<To>::max());
    } else {
        const Exact exact = static_cast<Exact>(value);
        if (!std::isfinite(exact)) return true;
        // Round to nearest even as the hardware does, and see whether the result is finite.
        volatile To rounded = static_cast<To>(exact);
        return std::isfinite(rounded);
    }
}

/// Two's complement, computed with 128 bits.
template <typename To, typename From>
To oracle_wrap(From value) {
    if constexpr (std::same_as<To, bool>) {
        return static_cast<Exact>(value) != 0;
    } else if constexpr (std::integral<To>) {
        __extension__ using wide_t = __int128;
        wide_t wide = 0;
        if constexpr (std::floating_point<From>) {
            if (oracle_fits<To>(value))
                wide = static_cast<wide_t>(static_cast<Exact>(value));
            else if (oracle_fits<std::int64_t>(value))
                wide = static_cast<wide_t>(static_cast<Exact>(value));
            else
                wide = std::numeric_limits<std::int64_t>::lowest();
        } else {
            wide = static_cast<wide_t>(value);
        }
        const wide_t modulus = wide_t{1} << (8 * sizeof(To));
        wide_t residue = ((wide % modulus) + modulus) % modulus;
        if (std::is_signed_v<To> && residue >= modulus / 2) residue -= modulus;
        return static_cast<To>(residue);
    } else {
        return static_cast<To>(static_cast<Exact>(value));
    }
}

template <typename T>
bool same_value(T a, T b) {
    if constexpr (std::floating_point<T>)
        return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
    else
        return a == b;
}

template <typename From, typename To>
void check_pair() {
    INFO(pv::kElementName<From> << " to " << pv::kElementName<To>);
    int wrong = 0;
    for (const From value : edge_values<From>()) {
        const bool fits = oracle_fits<To>(value);
        bool right = pv::fits<To>(value) == fits;
        right = right && same_value(pv::wrapping_cast<To>(value), oracle_wrap<To>(value));
        bool thrown = false;
        try {
            right = right && same_value(pv::checked_cast<To>(value, 3), oracle_wrap<To>(value));
        } catch (const pv::CastError&) {
            thrown = true;
        }
        right = right && thrown == !fits;
        if (!right && ++wrong < 5) {
            INFO("value " << static_cast<Exact>(value));
            CHECK(right);
        }
    }
    CHECK(wrong == 0);
}

} // namespace

TEMPLATE_TEST_CASE("Casts agree with exact arithmetic at every edge", "", bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double) {
    check_pair<TestType, bool>();
    check_pair<TestType, std::int8_t>();
    check_pair<TestType, std::int16_t>();
    check_pair<TestType, std::int32_t>();
    check_pair<TestType, std::int64_t>();
    check_pair<TestType, std::uint8_t>();
    check_pair<TestType, std::uint16_t>();
    check_pair<TestType, std::uint32_t>();
    check_pair<TestType, std::uint64_t>();
    check_pair<TestType, float>();
    check_pair<TestType, double>();
}

TEST_CASE("Examples of casts") {
    CHECK(pv::checked_cast<std::int8_t>(3.99) == 3);
    CHECK(pv::checked_cast<std::int8_t>(-128.9) == -128);
    CHECK(pv::checked_cast<std::uint8_t>(-0.9) == 0);
    CHECK(pv::wrapping_cast<std::uint8_t>(-1) == 255);
    CHECK(pv::wrapping_cast<std::int8_t>(254) == -2);
    CHECK(pv::wrapping_cast<std::uint8_t>(300.7) == 44);
    CHECK(pv::wrapping_cast<std::uint64_t>(0x1.8p63) == std::uint64_t{3} << 62);
    CHECK(pv::wrapping_cast<bool>(0.5));
    CHECK(pv::wrapping_cast<bool>(std::numeric_limits<double>::quiet_NaN()));
    CHECK(std::isinf(pv::wrapping_cast<float>(1e300)));
    CHECK(std::isinf(pv::checked_cast<float>(std::numeric_limits<double>::infinity())));
    STATIC_REQUIRE(pv::fits<std::int8_t>(127.5));
    STATIC_REQUIRE_FALSE(pv::fits<std::int8_t>(128));
    STATIC_REQUIRE(pv::wrapping_cast<std::int8_t>(254) == -2);
    STATIC_REQUIRE(pv::wrapping_cast<float>(1e300) > 0);
}

TEST_CASE("A cast that does not fit names the value, where it is and the type") {
    CHECK_THROWS_WITH(pv::checked_cast<std::int8_t>(std::uint8_t{254}, 0),
                      "value 254 at index 0 does not fit int8");
    CHECK_THROWS_WITH(pv::checked_cast<std::uint8_t>(-1), "value -1 does not fit uint8");
    CHECK_THROWS_WITH(pv::checked_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max(), 7),
                      "value 18446744073709551615 at index 7 does not fit int64");
    CHECK_THROWS_WITH(pv::checked_cast<std::int32_t>(1e10, 2),
                      "value 10000000000 at index 2 does not fit int32");
    CHECK_THROWS_WITH(pv::checked_cast<std::int32_t>(std::nan("")), "value nan does not fit int32");
    CHECK_THROWS_AS(pv::checked_cast<float>(1e300), pv::CastError);
}

} // namespace cast_test
