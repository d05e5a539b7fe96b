#pragma once

#include <purview/table/columns.hpp>

namespace purview {

/// What a CSV file holds: columns of rank 1.
using CsvColumn = Column;
using CsvColumns = Columns;

} // namespace purview
