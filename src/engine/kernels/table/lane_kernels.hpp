#pragma once

#include "engine/kernels/table/kernel_table.hpp"

namespace purview::engine {

// Work along a line of elements, each result of which reads several of them. Inputs may be misaligned. What
// it gives does not depend on the target.

/// Inputs can be read, and outputs written, for so many bytes behind their last element.
inline constexpr std::size_t kLaneSlackBytes = 512;

/// The widest window of `LaneKernels::fold_windows`.
inline constexpr index_t kWidestWindow = 1024;

/// Bytes of sums, and as many again of what they are off by.
inline constexpr std::size_t kCompensatedBytes = kAccumulatorBytes;

enum class LaneOp : std::uint8_t { add, multiply, minimum, maximum };

/// out[i] = carry op in[0] op … op in[i]; then the carry is out[count - 1]. Groups of 64 bytes, from the first
/// element on, are folded as trees of two, and then joined in their order. Not of products. The output
/// may be the input.
using Scan = void (*)(const void* in, void* out, index_t count, void* carry);

/// out[i] = in[i] op … op in[i + window - 1], 1 <= window <= kWidestWindow, as a tree of powers of two. The
/// scratch has room for twice count + window elements, all have the slack, and none overlap.
using FoldWindows = void (*)(const void* in, index_t count, index_t window, void* scratch,
                             void* out);

/// out[i] = sum of taps[k] * in[i + k] over k, in this order. float32, float64, 64-bit integers.
using Correlate = void (*)(const void* in, index_t count, const void* taps, index_t length,
                           void* out);

/// Adds elements to the sums: element i to lane i modulo their number; what is rounded away goes to what
/// they are off by (Knuth's sum of two). Floats.
using AddCompensated = void (*)(const void* in, index_t count, void* sums);

/// values[i] /= divisor, a positive integer below 2^52 (float32: 2^24). Floats, with the slack.
using Divide = void (*)(void* values, index_t count, const void* divisor);

/// numbers[i] = in[i] and ones[i] = 1 where that is a number, else `neutral` and 0. Floats, with the slack.
using SeparateNumbers = void (*)(const void* in, index_t count, double neutral, void* numbers,
                                 void* ones);

/// values[i] /= counts[i] if it is to be divided; NaN where counts[i], a float that is no less than 0, is 0. With the slack.
using DivideByCounts = void (*)(void* values, index_t count, const void* counts, bool divides);

/// Bins between edges that are equally far apart: where the first and the last one begin and end, how many there are, how many
/// lie in a unit, and how far `(x - first) * scale` may be off, in bins; less than a quarter.
struct UniformBins {
    double first;
    double last;
    double scale;
    double doubt;
    std::int32_t count;
};

/// The bin of each element, by multiplication; `count` for those that lie in none. True if one lies so near to an edge that it may
/// be in the bin beside, or on the last one.
using FindBins = bool (*)(const double* x, index_t count, const UniformBins* bins,
                          std::int32_t* found);

struct LaneKernels {
    const char* name; ///< that of the `KernelTable`

    /// Null where there is none.
    Scan (*find_scan)(LaneOp op, TypeId type);
    FoldWindows (*find_windows)(LaneOp op, TypeId type);
    Correlate (*find_correlate)(TypeId type);
    AddCompensated (*find_compensated)(TypeId type);
    Divide (*find_division)(TypeId type);
    SeparateNumbers (*find_separation)(TypeId type);
    DivideByCounts (*find_division_by_counts)(TypeId type);
    FindBins find_bins;
};

} // namespace purview::engine
