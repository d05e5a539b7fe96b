#pragma once

#include <purview/functional/along/search.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

namespace purview {

/// What `fill_range` makes.
struct FilledRange {
    MutableTensor<double> values; ///< the numbers given, and those put between them
    IndexSet added;               ///< the indexes of the latter
};

PURVIEW_EXPORT FilledRange filled_range(const Operand& x, double max_span);

/// `fill_range(x, max_span)`: the numbers of a tensor of one axis, and wherever one is greater than the one before it by more than `max_span`,
/// numbers evenly spaced between them, as few as make each step at most `max_span`; dtype-next's. Where numbers fall, or one is NaN, nothing is
/// put between. In float64, in memory. Or a stage. Eager, O(numbers in all). Throws `ShapeError` unless there is one axis, and for more
/// than 2^40 numbers in all, `Error` unless `max_span` is greater than 0, and for an infinite step, `DtypeError`.
struct FillRangeFunction {
    template <NumberTensor X>
    FilledRange operator()(const X& x, double max_span) const {
        return filled_range(x.operand(), max_span);
    }
    auto operator()(double max_span) const { return later(*this, max_span); }
};
inline constexpr AcceptingArrays<FillRangeFunction> fill_range;

} // namespace purview
