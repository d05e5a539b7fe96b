#pragma once

#include <purview/parquet/export.hpp>
#include <purview/table/columns.hpp>

#include <string>

namespace purview::inline v0_1 {

/// How a file is written.
struct ParquetSaveOptions {
    std::string compression = "zstd"; ///< or "snappy", "lz4", "gzip", "brotli", "none"
    /// Rows that are encoded, and read again, at once. 0: at most 2²⁰, and of at most 64 MiB and an eighth of `memory_limit()`.
    index_t rows_per_group = 0;
};

/// Writes columns as a Parquet file, row group by row group, so that what is computed or read in chunks is not in memory as a
/// whole: `save_parquet(path, {{"id", ids}, {"price", price * 2}})`. The file takes the place of `path` in one step, as with
/// `save_npy`. O(size).
///
/// Types are those of `to_arrow`; what is missing is null. Arrow's schema is in the file, so that `open_parquet` gives the same
/// types again; but Parquet has no seconds: time points in them become milliseconds. Pages have checksums, which are verified when
/// they are read.
///
/// Throws `FormatError` naming the path where it cannot be written, and for a compression that Arrow was built without;
/// `DtypeError` naming the column for types that Arrow does not have, and for text that is not UTF-8 behind row groups in
/// which all was; `CastError` for a time that Arrow's count does not hold; `Error` for fewer than 0 rows in a group.
PURVIEW_PARQUET_EXPORT void save_parquet(const std::string& path, const Columns& columns,
                                         const ParquetSaveOptions& options = {});

} // namespace purview
