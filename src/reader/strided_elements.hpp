#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_view.hpp>

namespace purview::inline v0_1 {

/// Assigns `count` elements of a run-time type to constructed elements; the two do not overlap.
void copy_elements(DType dtype, index_t count, MemoryView from, MutableMemoryView to);

} // namespace purview
