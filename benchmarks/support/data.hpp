#pragma once

/// Inputs: a function of a seed and an index, the same in every program (numpy/data.py is its twin).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bench {

/// 64 bits that look random.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t bits = (index + (seed << 40)) * 0x9E3779B97F4A7C15u;
    bits ^= bits >> 32;
    bits *= 0xD6E8FEB86659FD93u;
    return bits ^ (bits >> 32);
}

/// Floats lie in [0, 1), with as many bits as they hold; integers take all the values that they can. Complex numbers
/// have two floats that follow each other; floats of 16 bits, of whatever library, are rounded from float32.
template <typename T>
constexpr T random_value(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t bits = random_bits(seed, index);
    if constexpr (std::same_as<T, double>)
        return static_cast<T>(bits >> 11) / static_cast<T>(std::uint64_t{1} << 53);
    else if constexpr (std::same_as<T, float>)
        return static_cast<T>(bits >> 40) / static_cast<T>(1 << 24);
    else if constexpr (std::integral<T>)
        return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
    else if constexpr (requires(T z) { z.imag(); })
        return T(random_value<typename T::value_type>(seed, 2 * index),
                 random_value<typename T::value_type>(seed, 2 * index + 1));
    else
        return T(random_value<float>(seed, index));
}

/// `scale` times a random value, to anything that takes indexes in brackets.
template <typename T>
void fill_random(T* data, std::size_t count, std::uint64_t seed, T scale = T{1}) {
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<T>(scale * random_value<T>(seed, i));
}

/// Floats in [0.25, 4.25): what every function of a float is defined for.
template <typename T>
void fill_positive(T* data, std::size_t count, std::uint64_t seed) {
    for (std::size_t i = 0; i < count; ++i) data[i] = T{4} * random_value<T>(seed, i) + T{0.25};
}

/// Indexes in [0, bound), in any order, with repetitions.
inline void fill_random_indexes(std::int64_t* data, std::size_t count, std::size_t bound) {
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<std::int64_t>(((random_bits(9, i) >> 32) * bound) >> 32);
}
inline void fill_random_indexes(std::int64_t* data, std::size_t count) {
    fill_random_indexes(data, count, count);
}

/// One ascending index in each `apart`, chosen at random: of what is stored sparsely.
inline void fill_sparse_indexes(std::int64_t* data, std::size_t count, std::uint64_t apart,
                                std::uint64_t seed) {
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<std::int64_t>(i * apart + (random_bits(seed, i) >> 32) % apart);
}

/// Indexes in [0, count) that never fall; some are left out and some come twice.
inline void fill_sorted_indexes(std::int64_t* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t choice = random_bits(9, i / 2) >> 62;
        const bool next = i % 2 == 0 ? choice == 2 : choice != 0;
        data[i] = static_cast<std::int64_t>(i / 2 * 2 + (next ? 1 : 0));
    }
}

/// Keys of a table as a file of orders has them: eight names.
inline constexpr const char* kCities[] = {"Amsterdam", "Berlin",   "Copenhagen", "Dublin",
                                          "Edinburgh", "Florence", "Gothenburg", "Helsinki"};

/// 1 of 100 is no number.
inline void fill_with_gaps(double* data, std::size_t count, std::uint64_t seed) {
    for (std::size_t i = 0; i < count; ++i)
        data[i] = random_bits(seed + 1, i) % 100 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                      : random_value<double>(seed, i);
}

} // namespace bench
