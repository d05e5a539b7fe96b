// Tables in Parquet files. Of purview::parquet.

#ifdef PURVIEW_PYTHON_PARQUET

# include "parquet_files.hpp"

# include "computing.hpp"
# include "interpreter_lock.hpp"
# include "tables.hpp"
# include "text_caster.hpp"

# include <purview/parquet.hpp>

# include <nanobind/stl/optional.h>
# include <nanobind/stl/pair.h>
# include <nanobind/stl/vector.h>

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
            return table_in_python(table);
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
    module.def("_save_parquet", [](const std::string& path, const nb::dict& columns,
                                   std::string compression, pv::index_t rows_per_group) {
        const pv::Columns table = table_of_python("save_parquet", columns);
        constexpr pv::index_t kStore = 1 << 22; // of any size: a disk may take its time
        computing(kStore, [&] {
            pv::save_parquet(
                path, table,
                {.compression = std::move(compression), .rows_per_group = rows_per_group});
        });
    });
}

} // namespace purview_python

#endif
