// Many files as one array. Of purview::archives.

#ifdef PURVIEW_PYTHON_ARCHIVES

# include "archives_files.hpp"

# include "interpreter_lock.hpp"
# include "options.hpp"
# include "stored_files.hpp"
# include "text_caster.hpp"

# include <purview/archives/open_kerchunk.hpp>
# include <purview/archives/open_many.hpp>

# include <nanobind/stl/optional.h>
# include <nanobind/stl/variant.h>
# include <nanobind/stl/vector.h>

# include <optional>
# include <string>
# include <utility>
# include <vector>

namespace purview_python {

void bind_archives_files(nb::module_& module) {
    module.def(
        "_open_many",
        [](const std::vector<std::string>& files, std::string variable,
           std::vector<pv::ArchiveAxes::Axis> along, const std::string& order,
           const std::string& missing, const std::optional<std::string>& index) {
            constexpr Named<pv::ArchiveOrder> kOrders[] = {
                {"automatic", pv::ArchiveOrder::automatic},
                {"coordinate", pv::ArchiveOrder::coordinate},
                {"name", pv::ArchiveOrder::name},
                {"given", pv::ArchiveOrder::given}};
            constexpr Named<pv::MissingFiles> kMissing[] = {{"refused", pv::MissingFiles::refused},
                                                            {"filled", pv::MissingFiles::filled}};
            const char* const what = index ? "save_index" : "open_many";
            pv::OpenManyOptions options{.variable = std::move(variable),
                                        .along = pv::ArchiveAxes(std::move(along))};
            options.order = named(what, "order", order, kOrders);
            options.missing = named(what, "missing", missing, kMissing);
            return stored_to_python([&] {
                const Unlocked unlocked;
                return index ? pv::save_index(*index, files, options)
                             : pv::open_many(files, options);
            }());
        },
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    module.def("_open_index", [](const std::string& path) {
        return stored_to_python([&] {
            const Unlocked unlocked;
            return pv::open_index(path);
        }());
    });
    module.def("_open_kerchunk", [](const std::string& path) {
        const Unlocked unlocked;
        return pv::open_kerchunk(path);
    });
}

} // namespace purview_python

#endif
