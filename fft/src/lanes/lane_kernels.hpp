#pragma once

#include <cstdint>

namespace purview::inline v0_1::lane_transforms {

/// Columns of a lane that is transformed as a matrix are turned by so many at once, on every processor.
inline constexpr std::int64_t kTurned = 8;

/// Lanes along an axis of row-major memory: lane l begins at element l / inner * length * inner + l % inner, and its
/// elements are `inner` apart. A complex number is two of T.
template <typename T>
struct LaneSet {
    const T* in;
    T* out;
    std::int64_t in_length;  ///< of the axis, in elements
    std::int64_t out_length; ///< which are all written
    std::int64_t points;
    std::int64_t read; ///< elements of `in`: the first ones of each lane, the others are 0
    std::int64_t inner;
    T factor;
    bool forward;
};

/// A lane of `rows * columns` points, as a matrix that lies in order in `in`: its columns are transformed and turned into
/// `between`, and its rows from there into `out`, transposed (Bailey 1990).
template <typename T>
struct LaneMatrix {
    const T* in;
    T* between;
    T* out;
    std::int64_t rows, columns;
    const T*
        turns_of_column; ///< for each row, parts of exp(2 π i row column / n) for `kTurned` columns from 0 on
    const T* turns_of_block; ///< for each `kTurned` columns, for each row, exp(2 π i row first / n)
    T factor;
    bool forward;
};

/// What makes ready for transforms of a length: twiddle factors and the factors of the length.
struct PlanFunctions {
    const void* (*make)(std::int64_t points);
    void (*drop)(const void* plan);
};

template <typename T>
struct LaneFunctions {
    PlanFunctions complex_plan, real_plan;
    /// Lanes [begin, end): from complex numbers to complex ones.
    void (*complex)(const void* plan, const LaneSet<T>& set, std::int64_t begin, std::int64_t end);
    /// From real numbers to the first half of their transform, or, where `out_length` is `points`, to all of it.
    void (*of_real)(const void* plan, const LaneSet<T>& set, std::int64_t begin, std::int64_t end);
    /// From that half to real numbers, divided by nothing.
    void (*to_real)(const void* plan, const LaneSet<T>& set, std::int64_t begin, std::int64_t end);
    /// Blocks [begin, end) of `kTurned` columns, and of as many rows.
    void (*columns)(const void* plan, const LaneMatrix<T>& lane, std::int64_t begin,
                    std::int64_t end);
    void (*rows)(const void* plan, const LaneMatrix<T>& lane, std::int64_t begin, std::int64_t end);
    /// Fills the turns of a matrix, `rows * kTurned` and `rows * columns / kTurned` complex numbers.
    void (*turns)(std::int64_t rows, std::int64_t columns, T* of_column, T* of_block);
};

/// Those of one kind of processor; all of them give the same bits.
struct LaneTable {
    LaneFunctions<float> of_float;
    LaneFunctions<double> of_double;
};

extern const LaneTable kLanesBaseline;
extern const LaneTable kLanesAvx2; // where fft/CMakeLists.txt says so

} // namespace purview::lane_transforms
