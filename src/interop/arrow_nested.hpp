#pragma once

#include "interop/arrow_values.hpp"

namespace purview::inline v0_1::arrow {

/// The values of a slice of a fixed-size list: those of its child, `[count, size, …]`.
Values list_values(const Import& import, const Slice& slice, const ArrowType& type,
                   const CheckedSlice& checked);
/// The values of a dictionary, gathered at the indexes that the slice holds; those are checked here, O(count).
Values looked_up_values(const Import& import, const Slice& slice, const ArrowType& type,
                        const CheckedSlice& checked);

} // namespace purview::arrow
