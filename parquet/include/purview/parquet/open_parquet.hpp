#pragma once

#include <purview/parquet/export.hpp>
#include <purview/table/columns.hpp>

#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Rows from `begin` to before `end`.
struct ParquetRows {
    index_t begin;
    index_t end;
};

/// What of a file is opened, and how. `{.columns = {"time", "price"}, .rows = {{0, 1000}}}`.
struct ParquetOptions {
    /// By name, in this order; the name of a struct stands for all that is in it. Empty: all that the file has.
    std::vector<std::string> columns{};
    std::optional<ParquetRows> rows{}; ///< all of them by default
    /// What numbers and bools that are missing are read as; NaN concerns floats alone.
    std::optional<double> fill{};
};

/// The columns of a Parquet file, which are read when their elements are: what is read at once, and kept within
/// `memory_limit()`, is a column of a row group. Opening reads the footer alone; an operation asks for row groups on
/// several threads. The file is kept open, so that one which replaces it meanwhile changes nothing.
///
/// Types are those of `from_arrow`, as Arrow's schema in the file says them, where there is one: numbers, bools, strings, dates,
/// time points with their zone, durations; of dictionaries their values; fixed-size lists as `[rows, k]`; structs as columns "a.b". Decimals
/// become float64. Columns of other types (lists of any length, maps) are refused, if they are asked for by
/// name or with all others.
///
/// `Column::missing` is constant, and no memory, where the file says that nothing is missing. Values that are missing and
/// not filled are NaN, NaT (`is_nat`), 0, false or an empty string.
///
/// Throws `FormatError` naming the path for a file that cannot be opened, and, opening or reading, for one that is malformed
/// or shorter than it says; for two columns of one name too. `IndexError` naming the columns that there are for another one, and for
/// rows beyond the end; `DtypeError` naming the column for a type that no tensor has; `CastError` for a fill that a
/// type does not hold.
PURVIEW_PARQUET_EXPORT Columns open_parquet(const std::string& path,
                                            const ParquetOptions& options = {});

} // namespace purview
