#pragma once

#include <purview/arrow/export.hpp>
#include <purview/table/columns.hpp>

#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// What is read of a file of Arrow's, and how.
struct ArrowFileOptions {
    /// By name, in this order; the name of a struct stands for all that is in it. Empty: all that the file has.
    std::vector<std::string> columns{};
    /// What numbers and bools that are missing are read as, as `ArrowOptions::fill`.
    std::optional<double> fill{};
};

/// The table in a file of Arrow's: in the IPC file format (Feather 2) or the streaming format, which its first bytes say. Columns of shape
/// `[rows, …]`, read-only, of the types that `from_arrow` gives them.
///
/// The file is mapped: elements of batches that are not compressed are read where they lie, and nothing is copied; the file must be
/// neither cut short nor changed meanwhile (replaced it may be). Compressed ones (LZ4, zstd) are decoded when they are read, each column of each batch for itself as a chunk of
/// the [memory limit](larger_than_memory.md#the-limit), on several threads; what is decoded before it becomes a chunk is not counted.
/// Values that are missing and not filled are NaN, NaT, 0, false or an empty string.
///
/// Reads what describes the batches, O(batches · columns); of texts and dictionaries that are not compressed the offsets and indexes, too, which are
/// checked, O(rows), and values of dictionaries where they are compressed or come in parts.
/// Throws `FormatError` naming the path, and the column where there is one, for what is no such file, is cut short, contradicts itself, or has
/// other bytes first than this machine; `IndexError` with the names that there are for columns that are not there; `DtypeError` for
/// what `from_arrow` does not take (lists of any length, maps, unions), if it is wanted; `CastError` for a fill that a type does not hold.
PURVIEW_ARROW_EXPORT Columns open_arrow_file(const std::string& path,
                                             const ArrowFileOptions& options = {});

} // namespace purview
