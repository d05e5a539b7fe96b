#pragma once

/// Inputs of sparse cases, the same in every program (numpy_peer/data.py is their twin).

#include "data.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// So many entries at random places of a square matrix; hardly any place comes twice.
struct Coordinates {
    std::int32_t side;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<double> values;

    Coordinates(std::int32_t of_side, std::size_t count, std::uint64_t seed)
        : side(of_side), rows(count), columns(count), values(count) {
        const auto bound = static_cast<std::uint64_t>(of_side);
        const auto place = [bound](std::uint64_t of, std::size_t k) {
            return static_cast<std::int32_t>(((random_bits(of, k) >> 32) * bound) >> 32);
        };
        for (std::size_t k = 0; k < count; ++k) {
            rows[k] = place(seed, k);
            columns[k] = place(seed + 1, k);
        }
        fill_random(values.data(), count, seed + 2);
    }
};

inline constexpr std::int32_t kSparseSide = 1'000'000;
inline constexpr std::size_t kSparseStored = 10'000'000;
inline constexpr std::int32_t kProductSide = 100'000;
inline constexpr std::size_t kProductStored = 1'000'000;

inline std::vector<double> random_vector(std::size_t count, std::uint64_t seed) {
    std::vector<double> values(count);
    fill_random(values.data(), count, seed);
    return values;
}

} // namespace bench
