// Safetensors files: arrays by name, mapped.

#include "safetensors_files.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"

#include <purview/io/open_safetensors.hpp>
#include <purview/io/save_safetensors.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

void save(const std::string& path, const nb::dict& named, const nb::dict& metadata) {
    std::vector<pv::SafetensorsArray> arrays;
    pv::index_t size = 0;
    for (const auto& [name, x] : named) {
        arrays.emplace_back(nb::cast<std::string>(name), as_array(x));
        size = std::max(size, arrays.back().values.size());
    }
    pv::SafetensorsOptions options;
    for (const auto& [name, text] : metadata)
        options.metadata.emplace(nb::cast<std::string>(name), nb::cast<std::string>(text));
    computing(steps(size, 10), [&] { pv::save_safetensors(path, arrays, options); });
}

} // namespace

void bind_safetensors_files(nb::module_& module) {
    nb::class_<pv::SafetensorsFile>(module, "_SafetensorsFile")
        .def("names", [](const pv::SafetensorsFile& file) { return file.names(); })
        .def("contains", [](const pv::SafetensorsFile& file,
                            const std::string& name) { return file.contains(name); })
        .def("array",
             [](const pv::SafetensorsFile& file, const std::string& name) { return file[name]; })
        .def("metadata", [](const pv::SafetensorsFile& file) {
            nb::dict texts;
            for (const auto& [name, text] : file.metadata()) texts[nb::cast(name)] = nb::cast(text);
            return texts;
        });
    module.def("_open_safetensors", [](const std::string& path) {
        const Unlocked unlocked;
        return pv::open_safetensors(path);
    });
    module.def("_save_safetensors", &save);
}

} // namespace purview_python
