// Defines purview/parquet/save_parquet.hpp.
#include <purview/parquet/save_parquet.hpp>

#include "encoder.hpp"

#include <purview/base/errors.hpp>

#include "table/rows_at_once.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {

void save_parquet(const std::string& path, const Columns& columns,
                  const ParquetSaveOptions& options) {
    if (options.rows_per_group < 0)
        throw Error(fmt::format("save_parquet: row groups of {} rows", options.rows_per_group));
    const index_t step =
        options.rows_per_group > 0 ? options.rows_per_group : rows_at_once(columns);
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
