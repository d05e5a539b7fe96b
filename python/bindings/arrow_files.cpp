// Tables in Arrow's files. Of purview::arrow.

#ifdef PURVIEW_PYTHON_ARROW

# include "arrow_files.hpp"

# include "computing.hpp"
# include "interpreter_lock.hpp"
# include "options.hpp"
# include "tables.hpp"
# include "text_caster.hpp"

# include <purview/arrow.hpp>

# include <nanobind/stl/optional.h>
# include <nanobind/stl/vector.h>

# include <optional>
# include <string>
# include <utility>
# include <vector>

namespace purview_python {

void bind_arrow_files(nb::module_& module) {
    module.def(
        "_open_arrow_file",
        [](const std::string& path, std::vector<std::string> columns, std::optional<double> fill) {
            return table_in_python([&] {
                const Unlocked unlocked;
                return pv::open_arrow_file(path, {std::move(columns), fill});
            }());
        },
        nb::arg(), nb::arg(), nb::arg().none());
    module.def("_save_arrow_file", [](const std::string& path, const nb::dict& columns,
                                      const std::string& compression, pv::index_t rows_per_batch,
                                      bool as_stream) {
        constexpr Named<pv::ArrowCompression> kNames[] = {{"none", pv::ArrowCompression::none},
                                                          {"lz4", pv::ArrowCompression::lz4},
                                                          {"zstd", pv::ArrowCompression::zstd}};
        pv::SaveArrowOptions options{.rows_per_batch = rows_per_batch, .as_stream = as_stream};
        options.compression = named("save_arrow_file", "compression", compression, kNames);
        const pv::Columns table = table_of_python("save_arrow_file", columns);
        constexpr pv::index_t kStore = 1 << 22; // of any size: a disk may take its time
        computing(kStore, [&] { pv::save_arrow_file(path, table, options); });
    });
}

} // namespace purview_python

#endif
