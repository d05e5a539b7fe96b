// Defines purview/parquet/open_parquet.hpp.
#include <purview/parquet/open_parquet.hpp>

#include "parquet_table.hpp"

#include <utility>

namespace purview::inline v0_1 {

Columns open_parquet(const std::string& path, const ParquetOptions& options) {
    const auto table = std::make_shared<const parquet::ParquetTable>(path, options.fill);
    if (!options.rows) return opened_table(table, options.columns);
    return opened_table(table, options.columns, std::pair(options.rows->begin, options.rows->end));
}

} // namespace purview
