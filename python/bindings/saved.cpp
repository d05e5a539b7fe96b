// Traced functions in files.

#include "saved.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"
#include "traced.hpp"

#include <purview/functional/applied/saved.hpp>

#include <limits>
#include <string>

namespace purview_python {
namespace {

/// Type and shape of each argument; None for an extent of any size.
nb::tuple arguments_of(const Traced& traced) {
    nb::list arguments;
    for (const pv::ArgumentSpec& each : traced.function()->arguments()) {
        nb::list shape;
        for (const pv::index_t extent : each.shape)
            shape.append(extent == pv::any_size ? nb::none() : nb::object(nb::int_(extent)));
        arguments.append(nb::make_tuple(each.dtype, nb::tuple(shape)));
    }
    return nb::tuple(arguments);
}

nb::tuple variables_of(const Traced& traced) {
    nb::list names;
    for (const pv::AnySymbol& each : pv::AnyComputation(traced.function()).variables())
        names.append(nb::cast(each.name()));
    return nb::tuple(names);
}

} // namespace

void bind_saved(nb::module_& module) {
    module.def("_save_computation", [](const std::string& path, const Traced& traced, bool values,
                                       pv::index_t largest_tensor, const std::string& places) {
        pv::SaveOptions options;
        options.values = values;
        options.largest_tensor = largest_tensor;
        options.places = places;
        computing(std::numeric_limits<pv::index_t>::max(),
                  [&] { pv::save_computation(path, *traced.function(), options); });
    });
    module.def("_load_computation", [](const std::string& path, const std::string& places) {
        return Traced([&] {
            const Unlocked unlocked;
            return pv::load_computation(path, {.places = places}).function();
        }());
    });
    module.def("_arguments_of", &arguments_of);
    module.def("_variables_of", &variables_of);
    module.def("_symbol_value", [](const Traced& traced, const std::string& name) {
        return pv::AnyComputation(traced.function()).symbol(name).value();
    });
    module.def(
        "_update_symbol",
        [](const Traced& traced, const std::string& name, nb::handle value) {
            const pv::AnySymbol symbol = pv::AnyComputation(traced.function()).symbol(name);
            symbol.update(has_attribute(value, "dtype") ? as_array(value)
                                                        : as_array(value, symbol.dtype()));
        },
        nb::arg("traced"), nb::arg("name"), nb::arg("value").none());
}

} // namespace purview_python
