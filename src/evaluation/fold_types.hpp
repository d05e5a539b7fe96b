#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1 {

// Of elements of a built-in type.

/// The type of sums and products.
inline DType accumulated(DType element) {
    if (element.is_floating()) return element;
    const bool is_unsigned =
        element == uint8 || element == uint16 || element == uint32 || element == uint64;
    return is_unsigned ? uint64 : int64;
}
/// The type of means.
inline DType averaged(DType element) { return element.is_floating() ? element : float64; }

inline bool is_extreme(Reduction reduction) {
    return reduction == Reduction::minimum || reduction == Reduction::maximum;
}
inline bool is_of_truths(Reduction reduction) {
    return reduction == Reduction::any_of || reduction == Reduction::all_of;
}

/// The type of a fold, or of means, if it `averages`.
inline DType fold_result(Reduction reduction, DType element, bool averages = false) {
    if (is_of_truths(reduction)) return boolean;
    if (is_extreme(reduction)) return element;
    return averages ? averaged(element) : accumulated(element);
}

} // namespace purview
