#pragma once

#include <purview/csv/csv_columns.hpp>
#include <purview/csv/export.hpp>

#include <string>

namespace purview::inline v0_1 {

/// How a file is written.
struct CsvSaveOptions {
    char delimiter = ','; ///< no letter, digit, sign or point
    char quote = '"';
    bool header = true; ///< whether the first record says the names
    char decimal =
        '.'; ///< what stands before the fraction of a float; ',' where the delimiter is ';'
};

/// Writes columns as a CSV file: `save_csv(path, {{"id", ids}, {"price", price * 2}})`, or what `load_csv` gave. Lazy tensors are evaluated, block by
/// block. The file takes the place of `path` in one step, as with `save_npy`. O(size).
///
/// `load_csv` reads the same values and gaps, which are empty fields and which NaT is too, of the same types if they are given (and fills for gaps of integers and bools):
/// bool, integers and floats of all widths, with as few digits as give the same number; strings, in quotes where they need them; time points of the system clock and
/// local ones, in ISO 8601 (years from 0000 to 9999), and durations, with their unit, counted in int64, in weeks, days, hours, minutes, seconds, milliseconds,
/// microseconds or nanoseconds.
///
/// Every other type that prints is written as a stream prints it, and read as strings: time points and durations of other units (`5[2/3]s`) and counts, those
/// of other clocks as durations, calendar types (`year_month_day`, `year`, `weekday`, …), complex numbers, your own with `operator<<`.
///
/// Throws `FormatError` naming the path where it cannot be written, `ShapeError` of no columns and of values that are tensors, `DtypeError` for types that do not print,
/// `Error` for a delimiter, quote or decimal that cannot be one.
PURVIEW_CSV_EXPORT void save_csv(const std::string& path, const CsvColumns& columns,
                                 const CsvSaveOptions& options = {});

} // namespace purview
