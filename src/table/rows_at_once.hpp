#pragma once

#include <purview/base/config.hpp>
#include <purview/table/columns.hpp>

namespace purview::inline v0_1 {

/// The rows from `begin` to before `end` of all columns.
PURVIEW_EXPORT Columns rows_of(const Columns& columns, index_t begin, index_t end);

/// How many rows are written, and read again, at once where nobody says so: at most 2²⁰, and of at most 64 MiB and an eighth of
/// `memory_limit()`.
PURVIEW_EXPORT index_t rows_at_once(const Columns& columns);

} // namespace purview
