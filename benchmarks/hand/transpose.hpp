#pragma once

#include "inputs.hpp"

namespace bench {

/// `out[j * out_rows + i] = in[i * in_rows + j]` for an i × j rectangle whose sides are whole cache
/// lines: squares of one line a side, turned in a stage in L1; lines are written past the caches.
template <typename T>
void transpose_tiled(const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t rows,
                     std::size_t columns) {
    constexpr std::size_t kLine = 64 / sizeof(T);
    constexpr std::size_t kTall =
        4 * kLine; // rows of a stage: each page of `in` is left less often
    for (std::size_t i = 0; i < rows; i += kTall) {
        const std::size_t tall = std::min(kTall, rows - i);
        for (std::size_t j = 0; j < columns; j += kLine) {
            alignas(64) T stage[kLine][kTall];
            for (std::size_t a = 0; a < tall; ++a)
                for (std::size_t b = 0; b < kLine; ++b) stage[b][a] = in[(i + a) * in_row + j + b];
            for (std::size_t b = 0; b < kLine; ++b)
                for (std::size_t a = 0; a < tall; a += kLine)
                    stream_line(out + (j + b) * out_row + i + a, &stage[b][a]);
        }
    }
}

} // namespace bench
