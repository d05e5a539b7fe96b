#pragma once

#include "engine/kernels/table/kernel_table.hpp"

namespace purview::inline v0_1::engine {

// Kernels along a line of elements, where each result reads several elements. Inputs may be
// misaligned. Results do not depend on the target, except those of products.

/// The slack: inputs may be read, and outputs written, up to this many bytes after their last
/// element.
inline constexpr std::size_t kLaneSlackBytes = 512;

/// The widest window that `FoldWindows` are fast for; they take wider ones.
inline constexpr index_t kWidestWindow = 1024;

/// The arrays in the scratch of `FoldWindows`.
inline constexpr index_t kWindowScratch = 2;

/// The bytes of the sums of `AddCompensated`, after which as many bytes hold their errors.
inline constexpr std::size_t kCompensatedBytes = kAccumulatorBytes;

enum class LaneOp : std::uint8_t { add, multiply, minimum, maximum };

/// out[i] = carry op in[0] op … op in[i]; then the carry is out[count - 1]. Groups of 64 bytes,
/// from the first element on, are folded as binary trees, and then joined in their order; products,
/// and elements of less than 4 bytes, are folded one by one. The output may be the input.
using Scan = void (*)(const void* in, void* out, index_t count, void* carry);

/// out[i] = in[i] op … op in[i + window - 1], as a tree of powers of two. The scratch has room for
/// `kWindowScratch` arrays of count + window elements and the slack; no arrays overlap.
using FoldWindows = void (*)(const void* in, index_t count, index_t window, void* scratch,
                             void* out);

/// out[i] = sum of taps[k] * in[i + k] over k, in this order. float32, float64, 64-bit integers.
using Correlate = void (*)(const void* in, index_t count, const void* taps, index_t length,
                           void* out);

/// Adds element i to the sum i modulo their number, and the rounding error of the addition
/// (two-sum, Knuth) to the error of that sum. Floats.
using AddCompensated = void (*)(const void* in, index_t count, void* sums);

/// values[i] /= divisor, a positive integer below 2^52 (float32: 2^24). Floats, with the slack.
using DivideEach = void (*)(void* values, index_t count, const void* divisor);

/// numbers[i] = in[i] and ones[i] = 1 where in[i] is a number, `neutral` and 0 where it is NaN.
/// Floats, with the slack.
using SeparateNonNan = void (*)(const void* in, index_t count, double neutral, void* numbers,
                                void* ones);

/// If `divides`, values[i] /= counts[i]. NaN where counts[i], a float32 that is not negative, is 0.
/// With the slack.
using DivideByCounts = void (*)(void* values, index_t count, const void* counts, bool divides);

/// `count` bins of equal width, from `first` to `last`, with `scale` bins to a unit of x.
/// `edge_tolerance` is how far `(x - first) * scale` may be off, in bins; less than a quarter.
struct UniformBins {
    double first;
    double last;
    double scale;
    double edge_tolerance;
    std::int32_t count;
};

/// Finds the bin of each element, by a multiplication; `count` for elements that lie in none. True
/// if some element is so near to an edge that it may be in the bin beside, or at the last edge.
using FindBins = bool (*)(const double* x, index_t count, const UniformBins* bins,
                          std::int32_t* found);

/// Converts between floats of 16 bits and float32, and to them from what a float may not hold,
/// rounding once, to nearest, ties to even.
struct Float16Kernels {
    CastBlock half_to_float;
    CastBlock float_to_half;
    CastBlock bfloat_to_float;
    CastBlock float_to_bfloat;
    CastBlock double_to_half;
    CastBlock double_to_bfloat;
    CastBlock int64_to_bfloat;
    CastBlock uint64_to_bfloat;
};

/// Operations on complex numbers: pairs of a real and an imaginary part, side by side. Those of one
/// operand do not look at the second one.
enum class ComplexOp : std::uint8_t {
    add,
    subtract,
    multiply, ///< (a + bi)(c + di) = (ac - bd) + (ad + bc)i, as it is written here
    divide,   ///< Smith's algorithm (1962), which does not overflow where the quotient does not
    multiply_parts, ///< part by part: by a real number that is both parts of y
    divide_parts,
    pair_up, ///< x and y are arrays of parts: x[i] + y[i] i
    // of one operand
    negative,
    conjugate,
    real_part, ///< the result is an array of parts, as of the next two
    imaginary_part,
    absolute ///< infinite if a part is, else NaN if one is
};
constexpr bool has_two_operands(ComplexOp op) noexcept { return op <= ComplexOp::pair_up; }
/// `count` results. Output and inputs may be misaligned, and the output may be an input whose
/// elements are as large.
using ComplexBlock = void (*)(const void* x, const void* y, void* out, index_t count);

/// Adds the parts of `count` complex numbers to kFloatLanes sums: part i to sum i modulo their
/// number, so that the even ones are sums of real parts.
using AddComplex = void (*)(const void* in, index_t count, void* sums);

/// shifted[i] = in[i] - centre, and their squares; zeros after both.
using ShiftAndSquare = void (*)(const double* in, index_t count, double centre, double* shifted,
                                double* squares);

/// What is made of the sums of windows of `width` elements: spread = squares - sums² / n.
struct SpreadRule {
    double width;
    double correction;  ///< the spread is divided by n - correction; NaN unless that is positive
    bool of_mean;       ///< whether it is divided by n once more
    bool root;          ///< whether the root is taken
    double least_share; ///< of the sum of squares: a smaller spread is not good enough
};

/// squares[i] = the result for window i, or -1 where it is not good enough, or too large on the
/// way; true if there are such. `counts` are the n of the windows; null: all are `width`. With the
/// slack.
using SpreadOfSums = bool (*)(const double* sums, double* squares, index_t count,
                              const SpreadRule* rule, const double* counts);

/// The bytes of a row of `SortColumns`.
inline constexpr std::size_t kSortedRowBytes = 64;

/// Sorts each column of `rows` rows, which lie one after the other, ascending. Columns are sorted
/// by a network: O(rows log² rows), whatever is in them. int16, int32, int64; no slack.
using SortColumns = void (*)(void* keys, index_t rows);

/// Matrices A (m x k), B (k x n) and C, in whose rows elements are contiguous. Strides are in
/// elements, and may be 0 or negative in A and B.
struct SmallProduct {
    index_t m;
    index_t n;
    index_t k;
    index_t a_row;
    index_t a_column;
    index_t b_row;
    index_t b_column; ///< best 1
    index_t c_row;
};

/// The greatest k of a small product.
inline constexpr index_t kDeepestSmallProduct = 128;

/// C = scale A B. Each element is a chain of multiplications and additions
/// in the order of k, which are fused where the target has that, so that results depend on it. C
/// overlaps neither factor. Elements are aligned.
template <typename T>
using MultiplySmall = void (*)(const SmallProduct* product, const T* a, const T* b, T* c, T scale);

/// Copies a list, past the caches if it is `streaming`, until `finish_streams`. extremes[0] and [1]
/// become the least and the greatest of themselves and of what is written. Each index is read once,
/// as another thread may write to it. No slack.
using CopyList = void (*)(const index_t* in, index_t count, index_t* out, bool streaming,
                          index_t* extremes);

struct LaneKernels {
    /// These give null where there is no kernel.
    Scan (*find_scan)(LaneOp op, TypeId type);
    FoldWindows (*find_windows)(LaneOp op, TypeId type);
    Correlate (*find_correlate)(TypeId type);
    AddCompensated (*find_compensated)(TypeId type);
    DivideEach (*find_division)(TypeId type);
    SeparateNonNan (*find_separation)(TypeId type);
    DivideByCounts (*find_division_by_counts)(TypeId type);
    FindBins find_bins;
    Float16Kernels float16;
    /// Of the type of the parts: float32 or float64.
    ComplexBlock (*find_complex)(ComplexOp op, TypeId part);
    AddComplex (*find_complex_sum)(TypeId part);
    ShiftAndSquare shift_and_square;
    SpreadOfSums spread_of_sums;
    SortColumns (*find_column_sort)(TypeId type);
    MultiplySmall<float> multiply_small_floats;
    MultiplySmall<double> multiply_small_doubles;
    index_t longest_small_side; ///< m, n and k up to which these are as fast as BLAS
    CopyList copy_list;
    SeparateNonNan
        separate_doubles; ///< float64, with ones of float32: half as many vectors to count

    template <typename T>
    MultiplySmall<T> multiply_small() const noexcept {
        if constexpr (sizeof(T) == sizeof(float))
            return multiply_small_floats;
        else
            return multiply_small_doubles;
    }
};

} // namespace purview::engine
