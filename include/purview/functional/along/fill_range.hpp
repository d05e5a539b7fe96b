#pragma once

#include <purview/functional/along/search.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

namespace purview {

/// The result of `fill_range`.
struct FilledRange {
    MutableTensor<double> values; ///< the given numbers, and those inserted between them
    IndexSet added;               ///< the indexes of the inserted numbers
};

PURVIEW_EXPORT FilledRange filled_range(const Operand& x, double max_span);

/// `fill_range(x, max_span)`, or a stage: the numbers of a tensor of rank 1; wherever a number
/// exceeds the one before it by more than `max_span`, evenly spaced numbers are inserted between
/// them, as few as make each step at most `max_span`. As in dtype-next. Nothing is inserted where
/// numbers descend or one is NaN. In float64, in memory. Eager, O(size of the result). Throws
/// `ShapeError` unless x has rank 1, and for more than 2^40 numbers in the result, `Error` unless
/// `max_span` > 0, and for an infinite step, `DtypeError`.
struct FillRangeFunction {
    template <NumberTensor X>
    FilledRange operator()(const X& x, double max_span) const {
        return filled_range(x.operand(), max_span);
    }
    auto operator()(double max_span) const { return make_stage(*this, max_span); }
};
inline constexpr AcceptingArrays<FillRangeFunction> fill_range;

} // namespace purview
