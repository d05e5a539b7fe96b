#pragma once

#include "inputs.hpp"

namespace bench {

/// A square of 16 bytes a side from rows of `in` to rows of `out`, which are lines of a stage.
template <typename T>
void turn_square(const T* in, std::size_t in_row, T* out, std::size_t out_row) {
    for (std::size_t a = 0; a < 16 / sizeof(T); ++a)
        for (std::size_t b = 0; b < 16 / sizeof(T); ++b) out[b * out_row + a] = in[a * in_row + b];
}
#if defined(__SSE2__)
inline void turn_square(const double* in, std::size_t in_row, double* out, std::size_t out_row) {
    const __m128d x = _mm_load_pd(in), y = _mm_load_pd(in + in_row);
    _mm_store_pd(out, _mm_unpacklo_pd(x, y));
    _mm_store_pd(out + out_row, _mm_unpackhi_pd(x, y));
}
inline void turn_square(const float* in, std::size_t in_row, float* out, std::size_t out_row) {
    __m128 a = _mm_load_ps(in), b = _mm_load_ps(in + in_row);
    __m128 c = _mm_load_ps(in + 2 * in_row), d = _mm_load_ps(in + 3 * in_row);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_store_ps(out, a);
    _mm_store_ps(out + out_row, b);
    _mm_store_ps(out + 2 * out_row, c);
    _mm_store_ps(out + 3 * out_row, d);
}
#endif

/// `out[j * out_row + i] = in[i * in_row + j]` for i × j of multiples of two cache lines: squares of one
/// line a side, two under each other, are turned in L1 and written past the caches, a line at a time.
/// (On the machine of docs/measurements.md better than one, four or eight, and than going down first.)
template <typename T>
void transpose_tiled(const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t rows,
                     std::size_t columns) {
    constexpr std::size_t kLine = 64 / sizeof(T), kSquare = 16 / sizeof(T), kUnder = 2;
    for (std::size_t i = 0; i < rows; i += kUnder * kLine)
        for (std::size_t j = 0; j < columns; j += kLine)
            for (std::size_t k = i; k < i + kUnder * kLine; k += kLine) {
                alignas(64) T stage[kLine][kLine];
                for (std::size_t a = 0; a < kLine; a += kSquare)
                    for (std::size_t b = 0; b < kLine; b += kSquare)
                        turn_square(in + (k + a) * in_row + j + b, in_row, &stage[b][a], kLine);
                for (std::size_t b = 0; b < kLine; ++b)
                    stream_line(out + (j + b) * out_row + k, stage[b]);
            }
}

} // namespace bench
