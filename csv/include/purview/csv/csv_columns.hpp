#pragma once

#include <purview/table/columns.hpp>

namespace purview::inline v0_1 {

/// What a CSV file holds: columns of rank 1.
using CsvColumn = Column;
using CsvColumns = Columns;

} // namespace purview
