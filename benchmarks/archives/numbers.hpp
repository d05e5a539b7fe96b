#pragma once

#include <purview/base/config.hpp>

#include <cstdint>

/// The numbers in all files: peers.py has the same.
namespace numbers {

using purview::index_t;

/// Whole numbers below 2^bits in no order that a codec could see. As every step can be undone, places below 2^bits give
/// each of them once.
constexpr index_t scattered(index_t place, unsigned bits, index_t stream) {
    const auto mask = (std::uint64_t{1} << bits) - 1;
    auto x = (static_cast<std::uint64_t>(place) + 7919 * static_cast<std::uint64_t>(stream)) & mask;
    for (const std::uint64_t odd : {0x9e3779b1U, 0x85ebca6bU, 0xc2b2ae35U}) {
        x = (x * odd) & mask;
        x ^= x >> (bits / 2);
    }
    return static_cast<index_t>(x);
}

// Tables and models: numbers below 2^20, whose sum over 2^20 rows is known.
constexpr unsigned kBits = 20;
constexpr index_t kCycle = index_t{1} << kBits;
/// Of a column in the row, before it is divided.
constexpr index_t of_row(index_t row, index_t column) {
    return scattered(row & (kCycle - 1), kBits, column);
}
constexpr double kRowScale = 1.0 / 1024;
/// Σ `of_row` over `rows`, a multiple of 2^20.
constexpr index_t sum_of_rows(index_t rows) { return rows / kCycle * (kCycle / 2 * (kCycle - 1)); }

// Fields: ten bits of noise on what depends on the place, in steps of 1/64.
constexpr index_t kTimes = 10, kRows = 32, kColumns = 32;
constexpr index_t of_field(index_t time, index_t i, index_t j) {
    return 16 * i + 4 * j + scattered((time + 37 * i + 101 * j) & 1023, 10, 1);
}
constexpr double kFieldScale = 1.0 / 64;

} // namespace numbers
