#pragma once

#include <purview/interop/arrow.hpp>

namespace purview::inline v0_1::arrow {

/// Takes over a batch, whose schema is only read: what a stream hands out, too. What `array` held is
/// released exactly once, whatever happens.
Columns imported_batch(Array& array, const Schema& schema, const ArrowOptions& options);
/// The same of a single array that is no table.
Column imported_column(Array& array, const Schema& schema, const ArrowOptions& options);

} // namespace purview::arrow
