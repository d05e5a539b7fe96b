#pragma once

#include <purview/evaluation/evaluate.hpp>

namespace purview {

// Work along lanes: equal parts of the global order, each result of which reads several elements of its lane.
// On the engine, for the built-in types; what it gives depends neither on the machine nor on the number of threads.

/// out[i] = x[0] op … op x[i] in each of `groups` lanes, into memory of the source's type. Sums are of floats and
/// 64-bit integers, and so are products; the other two of any type. Float sums add groups of eight (float32: 16) as
/// trees of two; products go one by one. O(n).
PURVIEW_EXPORT void scan_groups(Reduction reduction, const Operand& source, index_t groups,
                                void* out);

/// The same along the axis in the middle of `[outer, length, inner]`, in the order of the source: each element is joined, one by one,
/// to what those before it in its column came to. O(n).
PURVIEW_EXPORT void scan_rows(Reduction reduction, const Operand& source, index_t length,
                              index_t inner, void* out);

/// Lanes with elements around them: `padded` has `before` elements more at the front of each lane than `inner`,
/// and some behind.
struct PaddedLanes {
    Operand inner;
    Operand padded;
    index_t before = 0;
    index_t groups = 1;

    /// Of a lane.
    index_t length() const { return groups == 0 ? 0 : padded.dims.size() / groups; }
    index_t inner_length() const { return groups == 0 ? 0 : inner.dims.size() / groups; }
};

/// The fold of each window of this many elements of the padded lanes: length - window + 1 for each lane, one after
/// the other. Types as in `scan_groups`. Each is folded from the elements of its window alone, as a tree, so that
/// no error and no NaN outlives it. O(n) vectors, log2(window) times, up to 1024; else O(n) (van Herk 1992,
/// Gil and Werman 1993).
PURVIEW_EXPORT void roll_groups(Reduction reduction, const PaddedLanes& lanes, index_t window,
                                void* out);

/// The sums of `roll_groups` divided by the width of a window. float32 and float64.
PURVIEW_EXPORT void roll_means(const PaddedLanes& lanes, index_t window, void* out);

/// The folds of the numbers in windows of float32 or float64, NaN where a least or greatest one has none; with `averages`,
/// sums divided by how many they are. False, and nothing is done, for windows of more than 1024 elements.
PURVIEW_EXPORT bool roll_numbers(Reduction reduction, bool averages, const PaddedLanes& lanes,
                                 index_t window, void* out);

/// out[i] = sum of taps[k] * x[i + k] over k < length, of the padded lanes, as many as there are windows of
/// `length`. float32, float64 and 64-bit integers. O(n length).
PURVIEW_EXPORT void correlate_groups(const PaddedLanes& lanes, const void* taps, index_t length,
                                     void* out);

/// The sum of each of `groups` equal parts as if it were added in twice the precision and rounded once, nearly
/// (Knuth's sum of two; Kahan and Babuska's algorithm), of float32 or float64. Of nothing: 0.
PURVIEW_EXPORT void compensated_sums(const Operand& source, index_t groups, void* out);

} // namespace purview
