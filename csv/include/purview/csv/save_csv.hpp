#pragma once

#include <purview/csv/csv_columns.hpp>

#include <string>

namespace purview {

/// How a file is written.
struct CsvSaveOptions {
    char delimiter = ','; ///< no letter, digit, sign or point
    char quote = '"';
    bool header = true; ///< whether the first record says the names
};

/// Writes columns as a CSV file: `save_csv(path, {{"id", ids}, {"price", price * 2}})`, or what `load_csv` gave. `load_csv` reads the same values, of
/// the same types if they are given, and the same gaps, which are empty fields. Floats are written with as few digits as give the same number, times in ISO
/// 8601 (years from 0000 to 9999 can be read again), strings in quotes where they need them. Lazy tensors are evaluated, block by block. The file takes the place of
/// `path` in one step, as with `save_npy`. O(size).
///
/// Throws `FormatError` naming the path where it cannot be written, `ShapeError` of no columns, `DtypeError` for types that `load_csv` does not have,
/// `Error` for a delimiter or quote that cannot be one.
PURVIEW_CSV_EXPORT void save_csv(const std::string& path, const CsvColumns& columns,
                                 const CsvSaveOptions& options = {});

} // namespace purview
