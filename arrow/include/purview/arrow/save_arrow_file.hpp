#pragma once

#include <purview/arrow/export.hpp>
#include <purview/interop/arrow_stream.hpp>
#include <purview/table/columns.hpp>

#include <cstdint>
#include <string>

namespace purview::inline v0_1 {

/// How the buffers of a file of Arrow's are compressed, each for itself.
enum class ArrowCompression : std::uint8_t {
    none, ///< they can be read where they lie
    lz4,
    zstd
};

/// How a table is written.
struct SaveArrowOptions {
    ArrowCompression compression = ArrowCompression::none;
    /// Rows that are computed, encoded, and read again, at once. 0: at most 2²⁰, and of at most 64 MiB and an eighth of `memory_limit()`.
    index_t rows_per_batch = 0;
    bool as_stream =
        false; ///< the streaming format, which has no table of contents, instead of the file's
    ArrowText text = ArrowText::by_first_batch;
};

/// Writes a table as a file of Arrow's, batch by batch: what is lazy is computed a batch at a time. The file is written beside
/// `path`, and replaces what is there when it is whole. Types are those of `to_arrow`.
/// Throws `FormatError` where the file cannot be written; `IndexError` for fewer than 0 rows a batch; `DtypeError` for columns that `to_arrow` refuses;
/// `CastError` naming the column for text that does not fit the type of that in the first batch.
PURVIEW_ARROW_EXPORT void save_arrow_file(const std::string& path, const Columns& columns,
                                          const SaveArrowOptions& options = {});
/// Writes the batches of a stream that `to_arrow_stream` made, each as it is, and takes it over. Of the options, `rows_per_batch` and `text`
/// say nothing. Throws `FormatError` with the text of what the stream says.
PURVIEW_ARROW_EXPORT void save_arrow_file(const std::string& path, arrow::StreamExport batches,
                                          const SaveArrowOptions& options = {});

} // namespace purview
