#pragma once

#include <cstdint>

namespace purview::inline v0_1::linalg {

/// Matrices of at most so many rows are computed by kernels of our own, as many of them at once as a vector register has
/// lanes.
inline constexpr int kLargestSmall = 8;

/// What a kernel does with the matrices `a` of a group, and the right sides `b`.
enum class SmallKernel : std::uint8_t {
    solve,         ///< one right side each
    solve_several, ///< up to `kLargestSmall`
    solve_columns, ///< of one matrix, up to `kLargestSmall` vectors of them
    triangle,      ///< up to `kLargestSmall`
    triangle_columns,
    inverse,
    determinant,
    slogdet,
    cholesky,
    eigenvalues,
    eigenvectors ///< and values
};
inline constexpr int kSmallKernels = 11;

/// Groups of as many matrices as there are lanes, one after the other, row-major; what is of columns has one matrix, whose
/// right sides lie in rows `stride` apart.
template <typename T>
struct SmallGroups {
    const T* a;
    const T* b;
    T* first;                                     ///< the results, one after the other
    T* second;                                    ///< logarithms; eigenvectors
    std::int64_t of_a, of_b, of_first, of_second; ///< elements of a matrix
    std::int64_t stride;
    int columns;
    bool upper;
};

/// Computes `count` groups. `failed` is, for each lane of each, the pivot from 0 on at which a matrix has no result, else -1.
template <typename T>
using SmallFunction = void (*)(const SmallGroups<T>& groups, int count, int* failed);

template <typename T>
struct SmallFunctions {
    int lanes;
    SmallFunction<T> by_rows[kSmallKernels][kLargestSmall];
};

/// Those of one kind of processor; all of them give the same bits.
struct SmallTable {
    const char* target;
    SmallFunctions<float> of_float;
    SmallFunctions<double> of_double;
};
inline constexpr int kMostLanes = 8;

extern const SmallTable kSmallBaseline;
extern const SmallTable kSmallAvx2; // where linalg/CMakeLists.txt says so

} // namespace purview::linalg
