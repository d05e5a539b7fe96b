// Compiled functions for Python.

#include "compile.hpp"

#include "text_caster.hpp"
#include "traced.hpp"
#include "tracing.hpp"

#include <sstream>

namespace purview_python {

void bind_compile(nb::module_& module) {
    nb::class_<Traced>(module, "_Traced")
        .def("__init__",
             [](Traced* self, nb::handle function, nb::handle examples, bool has_lists) {
                 new (self) Traced(function, examples, has_lists ? Lists::several : Lists::arrays);
             })
        .def("called", &Traced::called)
        .def("__call__", &Traced::operator())
        .def("over", &Traced::over)
        .def("check_gradient", &Traced::check_gradient)
        .def("__str__", [](const Traced& traced) {
            std::ostringstream out;
            out << *traced.function();
            return out.str();
        });
    module.def("_is_tracing", &is_tracing);
}

} // namespace purview_python
