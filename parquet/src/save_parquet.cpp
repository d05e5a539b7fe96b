// Defines purview/parquet/save_parquet.hpp.
#include <purview/parquet/save_parquet.hpp>

#include "encoder.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/tensor/views.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kMostRows = index_t{1} << 20;
constexpr index_t kMostBytes = index_t{64} << 20;

/// Rows whose elements are in memory at once.
index_t rows_per_group(const Columns& columns) {
    index_t row_bytes = 1;
    for (const Column& column : columns) {
        const index_t rows = std::max<index_t>(column.rows(), 1);
        row_bytes += column.values.size() / rows * column.dtype().size_bytes();
    }
    const index_t bytes = std::min(kMostBytes, memory_limit() / 8);
    return std::clamp<index_t>(bytes / row_bytes, 1024, kMostRows);
}

Columns rows_of(const Columns& columns, index_t begin, index_t end) {
    std::vector<Column> parts(columns.begin(), columns.end());
    for (Column& part : parts) {
        part.values = part.values(range(begin, end));
        part.missing = part.missing(range(begin, end));
    }
    return Columns(std::move(parts));
}

} // namespace

void save_parquet(const std::string& path, const Columns& columns,
                  const ParquetSaveOptions& options) {
    if (options.rows_per_group < 0)
        throw Error(fmt::format("save_parquet: row groups of {} rows", options.rows_per_group));
    const index_t step =
        options.rows_per_group > 0 ? options.rows_per_group : rows_per_group(columns);
    const index_t rows = columns.rows();
    parquet::Encoder encoder(path, options.compression);
    index_t begin = 0;
    do {
        const index_t end = rows - begin > step ? begin + step : rows;
        encoder.write(begin == 0 && end == rows ? columns : rows_of(columns, begin, end));
        begin = end;
    } while (begin < rows);
    encoder.commit();
}

} // namespace purview
