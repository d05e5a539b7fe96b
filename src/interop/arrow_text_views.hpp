#pragma once

#include "interop/arrow_values.hpp"

namespace purview::inline v0_1::arrow {

/// The texts of an array of views (formats vu and vz): computed when they are read, "" where they are
/// missing. Throws `FormatError` naming the column and the row for a view of what its buffers do not
/// have.
AnyTensor viewed_texts(const Import& import, const Slice& slice, const CheckedSlice& checked);

} // namespace purview::arrow
