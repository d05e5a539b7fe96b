// Tables in Parquet files. Of purview::parquet.

#ifdef PURVIEW_PYTHON_PARQUET

# include "parquet_files.hpp"

# include "as_array.hpp"
# include "computing.hpp"
# include "interop.hpp"
# include "interpreter_lock.hpp"
# include "text_caster.hpp"

# include <purview/parquet.hpp>

# include <nanobind/stl/optional.h>
# include <nanobind/stl/pair.h>
# include <nanobind/stl/vector.h>

# include <algorithm>
# include <optional>
# include <string>
# include <utility>
# include <vector>

namespace purview_python {

void bind_parquet_files(nb::module_& module) {
    module.def(
        "_open_parquet",
        [](const std::string& path, std::vector<std::string> names,
           std::optional<std::pair<pv::index_t, pv::index_t>> rows, std::optional<double> fill) {
            pv::ParquetOptions options{.columns = std::move(names), .rows = {}, .fill = fill};
            if (rows) options.rows = pv::ParquetRows{rows->first, rows->second};
            const pv::Columns table = [&] {
                const Unlocked unlocked;
                return pv::open_parquet(path, options);
            }();
            nb::list columns;
            for (const pv::Column& column : table)
                columns.append(nb::make_tuple(column.name, in_numpys_times(column.values),
                                              Array(column.missing)));
            return columns;
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
    module.def("_save_parquet", [](const std::string& path, nb::list columns,
                                   std::string compression, pv::index_t rows_per_group) {
        std::vector<pv::Column> list;
        pv::index_t most = 0;
        for (const nb::handle each : columns) {
            const nb::tuple column = nb::cast<nb::tuple>(each);
            const Array values = as_array(column[1]);
            list.push_back(column_for_arrow(nb::cast<std::string>(column[0]), values));
            most = std::max(most, values.size());
            if (column[2].is_none()) continue;
            const Array missing = as_array(column[2], pv::kDType<bool>);
            list.back() = pv::Column(list.back().name, list.back().values, missing.as<bool>());
        }
        const pv::Columns table(std::move(list));
        computing(steps(most, 10), [&] {
            pv::save_parquet(
                path, table,
                {.compression = std::move(compression), .rows_per_group = rows_per_group});
        });
    });
}

} // namespace purview_python

#endif
