// Errors of Python on their way through the library.

#include "raised.hpp"

namespace purview_python {

Raised::Raised(const nb::python_error& error)
    : error_(new nb::object(nb::borrow(error.value())), [](nb::object* held) {
          if (!nb::is_alive()) return;
          const Locked locked;
          delete held;
      }) {}

void Raised::set() const noexcept {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_->ptr())), error_->ptr());
}

} // namespace purview_python
