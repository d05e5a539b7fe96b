// Compiled functions for Python.

#include "compile.hpp"

#include "text_caster.hpp"
#include "traced.hpp"
#include "tracing.hpp"

#include <algorithm>
#include <sstream>

namespace purview_python {
namespace {

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<Traced>(self)->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<Traced>(self)->let_go();
    return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                       {0, nullptr}};

} // namespace

void bind_compile(nb::module_& module) {
    nb::class_<Traced>(module, "_Traced", nb::type_slots(slots))
        .def("__init__", [](Traced* self, nb::handle function,
                            nb::handle examples) { new (self) Traced(function, examples); })
        .def("called", &Traced::called)
        .def("__call__", &Traced::operator())
        .def("over", &Traced::over)
        .def("explain", &Traced::explain)
        .def("check_gradient", &Traced::check_gradient)
        .def("__str__", [](const Traced& traced) {
            std::ostringstream out;
            out << *traced.function();
            return out.str();
        });
    module.def("_is_tracing", &is_tracing);
    module.def("_is_recorded", [](nb::tuple given) {
        return std::any_of(given.begin(), given.end(), [](nb::handle each) {
            const Array* const array = array_in(each);
            return array == nullptr ? is_tracing_for_later() : is_recorded(*array);
        });
    });
}

} // namespace purview_python
