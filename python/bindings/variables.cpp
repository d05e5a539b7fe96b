// Arrays with names, which traced functions read at each call.

#include "variables.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"
#include "variable.hpp"

#include <purview/expression/symbol.hpp>

#include <string>

namespace purview_python {

void bind_variables(nb::module_& module) {
    nb::class_<Variable>(module, "Variable", "An array with a name: see `variable`.")
        .def_prop_ro(
            "name", [](const Variable& variable) { return variable.symbol().name(); },
            "The name, empty for none.")
        .def_prop_ro(
            "value", [](const Variable& variable) { return variable.symbol().value(); },
            "The present elements, in place.")
        .def(
            "update",
            [](const Variable& variable, nb::handle value) {
                const pv::AnySymbol& symbol = variable.symbol();
                const Array array = has_attribute(value, "dtype") ? as_array(value)
                                                                  : as_array(value, symbol.dtype());
                computing(steps(array.size(), 2), [&] { symbol.update(array); });
            },
            nb::arg("value").none(),
            "Puts other elements in the place of these, of the same type and shape: later calls of functions that read them, see them.")
        .def("_array", &Variable::array);
    module.def(
        "_variable",
        [](nb::handle value, const std::string& name) {
            return Variable(pv::AnySymbol(
                pv::symbol_operand(pv::Role::variable, realised(as_array(value)).operand(), name)));
        },
        nb::arg("value").none(), nb::arg("name"));
}

} // namespace purview_python
