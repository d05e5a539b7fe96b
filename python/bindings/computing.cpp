// Work of the library on behalf of Python.

#include "computing.hpp"

#include "interpreter_lock.hpp"

#include <purview/base/errors.hpp>

#include <string>

namespace purview_python {
namespace {

/// Called now and then, without the interpreter's lock: whether to go on.
bool is_not_interrupted(const pv::Progress&) {
    const Locked locked;
    return PyErr_CheckSignals() == 0;
}

} // namespace

Interruptible::Interruptible()
    : registration_(
          pv::on_progress(is_not_interrupted, {.after_seconds = 0.1, .every_seconds = 0.1})) {}

void Interruptible::rethrow() {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    throw nb::value_error("cancelled");
}

void throw_no_memory(const char* what, pv::DType type, pv::ShapeSpan shape) {
    double bytes = static_cast<double>(type.size_bytes());
    for (const pv::index_t extent : shape) bytes *= static_cast<double>(extent);
    char size[32];
    std::snprintf(size, sizeof size, "%.3g", bytes);
    PyErr_SetString(PyExc_MemoryError, (std::string(what) + ": no memory for " + size +
                                        " bytes, of the shape " + pv::to_string(shape))
                                           .c_str());
    throw nb::python_error();
}

} // namespace purview_python
