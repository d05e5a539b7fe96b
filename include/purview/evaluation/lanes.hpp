#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/work.hpp>

namespace purview::inline v0_1 {

// Operations along lanes. A lane is one of `groups` equal parts of the global order, and each
// result reads several elements of its lane. Done by the engine for the built-in types; results
// depend neither on the machine nor on the number of threads.

/// Inclusive scan: out[i] = x[0] op … op x[i] along the middle axis of a source seen as `[outer,
/// length, inner]`, to results of its type in its order. Sums and products are of floats and 64-bit
/// integers, minimum and maximum of any built-in type. With `inner` 1, float sums add groups of eight
/// elements (float32: 16) as binary trees; otherwise, and in products, elements are combined one by
/// one. O(n).
PURVIEW_EXPORT void scan_lanes(const work::Scan& scan, const Operand& source,
                               const Destination& out);

/// Lanes with padding: each lane of `padded` is a lane of `inner` with `before` elements in front
/// of it and possibly some after it.
struct PaddedLanes {
    Operand inner;
    Operand padded;
    index_t before = 0;
    index_t groups = 1;

    /// The length of a padded lane.
    index_t length() const { return groups == 0 ? 0 : padded.dims.size() / groups; }
    index_t inner_length() const { return groups == 0 ? 0 : inner.dims.size() / groups; }
};

/// Results of windows are computed in pieces of so many, each by itself: lanes that are cut at multiples of it, each part
/// with the elements that its windows reach, give the same bits.
constexpr index_t results_per_piece(index_t window) noexcept {
    constexpr index_t kLeast = 1024;
    return kLeast > 2 * window ? kLeast : 2 * window;
}

/// The reduction of each window of `window` elements of the padded lanes: length - window + 1
/// results for each lane, one lane after the other. Types as in `scan_lanes`. Each result is
/// computed from the elements of its window alone, as a tree, so that no rounding error and no NaN
/// carries over to later windows. For windows up to 1024, O(n log2(window)) in vector operations;
/// for larger ones O(n) (van Herk 1992, Gil and Werman 1993).
PURVIEW_EXPORT void roll_groups(Reduction reduction, const PaddedLanes& lanes, index_t window,
                                void* out);

/// The means of windows: the sums of `roll_groups` divided by `window`. float32 and float64.
PURVIEW_EXPORT void roll_means(const PaddedLanes& lanes, index_t window, void* out);

/// The reduction over the elements that are not NaN in each window, of float32 or float64. Minimum
/// and maximum are NaN for a window of NaNs only. With `averages`, sums are divided by the number
/// of elements that are not NaN. Returns false, and does nothing, for windows of more than 1024
/// elements.
PURVIEW_EXPORT bool roll_non_nan(Reduction reduction, bool averages, const PaddedLanes& lanes,
                                 index_t window, void* out);

/// What is made of the squared differences from the mean of a window.
struct VarianceOfWindows {
    int correction; ///< their sum is divided by n - correction, and is NaN unless that is positive
    bool root;      ///< whether the root is taken
    bool of_mean;   ///< whether it is divided by n once more: that of the mean
    bool skips_nan; ///< whether n is the number of elements that are not NaN
};

/// The variances of windows, of float32 or float64, in float64, O(n) as sums are. Each is computed
/// from the elements of its window alone. With u = 2^-53 it is off by at most
/// 64 (3 ceil(log2(window)) + 8) u of its value, or 4 window u where that is more; a constant
/// window gives 0.
PURVIEW_EXPORT void roll_variances(const PaddedLanes& lanes, index_t window,
                                   const VarianceOfWindows& rule, void* out);

/// Correlation: out[i] = the sum of taps[k] * x[i + k] over k < length, for each window of `length`
/// elements of the padded lanes. float32, float64 and 64-bit integers. O(n length).
PURVIEW_EXPORT void correlate_groups(const PaddedLanes& lanes, const void* taps, index_t length,
                                     void* out);

/// The sum of each of `groups` equal parts, computed nearly as if in twice the precision and
/// rounded once (Knuth's two-sum; the algorithm of Kahan and Babuska), of float32 or float64. An
/// empty part gives 0.
PURVIEW_EXPORT void compensated_sums(const Operand& source, index_t groups, void* out);

} // namespace purview
