#pragma once

// What is computed on a device, beside the host's results.
#include "devices.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>

namespace gpu_tests {

using pv::index_t;

template <typename T>
inline constexpr bool kIsHalf = std::same_as<T, pv::Half> || std::same_as<T, pv::BFloat16>;

/// A NaN equals another: which one it is differs between processors.
template <typename T>
bool is_same(const T& a, const T& b) {
    if (std::memcmp(&a, &b, sizeof(T)) == 0) return true;
    if constexpr (kIsHalf<T>)
        return std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b));
    else
        return a != a && b != b;
}

/// How many units in the last place of `expected` two floats differ by.
template <std::floating_point T>
double ulps(T found, T expected) {
    if (is_same(found, expected) || found == expected) return 0;
    if (!std::isfinite(found) || !std::isfinite(expected)) return 1e9;
    const T size = std::abs(expected);
    const T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return std::abs(static_cast<double>(found) - static_cast<double>(expected)) /
           static_cast<double>(unit);
}

template <typename T>
std::string shown(const T& x) {
    std::ostringstream out;
    out.precision(17);
    if constexpr (kIsHalf<T>)
        out << static_cast<float>(x);
    else
        out << +x;
    return out.str();
}

/// What differs first between elements in row-major memory of the host, or nothing.
template <typename T>
std::string difference(const pv::MutableTensor<T>& found, const pv::MutableTensor<T>& expected,
                       double tolerance_ulps = 0) {
    if (found.size() != expected.size()) return "sizes";
    for (index_t i = 0; i < found.size(); ++i) {
        const T a = found.data()[i], b = expected.data()[i];
        if (is_same(a, b)) continue;
        if constexpr (std::floating_point<T>)
            if (ulps(a, b) <= tolerance_ulps) continue;
        return "element " + std::to_string(i) + " is " + shown(a) + " there, " + shown(b) +
               " on the host";
    }
    return {};
}

/// The text of what a call throws; empty if nothing.
template <typename Call>
std::string error_text(Call&& call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return {};
}

/// Numbers with all that is special for a type among them.
template <typename T>
T edge_number(std::mt19937_64& random) {
    const auto unit = [&] { return static_cast<double>(random() >> 11) / 9007199254740992.0; };
    if constexpr (std::same_as<T, bool>) {
        return (random() & 1) != 0;
    } else if constexpr (kIsHalf<T>) {
        return T(edge_number<float>(random));
    } else if constexpr (std::floating_point<T>) {
        using Limits = std::numeric_limits<T>;
        const T edges[] = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(0.5),
                           T(-0.5),
                           T(1.5),
                           T(2.5),
                           T(-2.5),
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::lowest(),
                           Limits::denorm_min(),
                           Limits::min(),
                           T(0.49999997),
                           T(8388609),
                           T(4503599627370497.0),
                           T(63343.99805), // once rounded to float, halfway between two Halfs
                           T(3)};
        switch (random() % 3) {
        case 0: return edges[random() % std::size(edges)];
        case 1: return T((unit() - 0.5) * 40);
        default: return T(std::ldexp(unit() - 0.5, static_cast<int>(random() % 120) - 60));
        }
    } else {
        using Limits = std::numeric_limits<T>;
        const T edges[] = {T(0), T(1), T(-1), Limits::max(), Limits::lowest(), T(2), T(7), T(8),
                           T(31), T(32), T(63), T(64), T(9), T(-9),
                           // Once rounded to float, halfway between two BFloat16s.
                           static_cast<T>(16842753), static_cast<T>(0x4040000000000001)};
        return random() % 2 != 0 ? edges[random() % std::size(edges)]
                                 : static_cast<T>(random() >> (random() % 60));
    }
}

template <typename T>
pv::MutableTensor<T> edge_numbers(index_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto line = pv::empty<T>({count});
    for (index_t i = 0; i < count; ++i) line.data()[i] = edge_number<T>(random);
    return line;
}

} // namespace gpu_tests
