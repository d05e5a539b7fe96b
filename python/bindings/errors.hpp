#pragma once

#include "array.hpp"

#include <string>
#include <utility>

namespace purview_python {

/// The name of the class of an object.
std::string class_name(nb::handle object);
/// What Python shows of an object, for a message: in one line.
std::string message_text(nb::handle object);
/// In a handler of a slot: the exception that is being handled becomes Python's error.
void set_python_error();

/// What `work` returns, as a slot of a type returns it.
template <typename F>
PyObject* as_slot(F&& work) noexcept {
    try {
        return std::forward<F>(work)().release().ptr();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

void bind_errors(nb::module_& module);

} // namespace purview_python
