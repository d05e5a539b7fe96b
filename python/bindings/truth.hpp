#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace purview_python {

/// A parameter that is true or false: a bool of Python's or NumPy's, an integer, or an array of rank 0. nanobind's own takes the first alone.
struct Truth {
    bool value = false;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands for its value
    operator bool() const noexcept { return value; }
};

/// Whether an object may stand for true or false.
inline bool is_truth(nanobind::handle object) {
    if (PyBool_Check(object.ptr()) || PyLong_Check(object.ptr())) return true;
    const nanobind::object name =
        nanobind::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__");
    const auto is_named = [&](const char* text) {
        return PyUnicode_CompareWithASCIIString(name.ptr(), text) == 0;
    };
    return is_named("bool") || is_named("bool_") || PyIndex_Check(object.ptr()) != 0;
}

} // namespace purview_python

namespace nanobind::detail {

template <>
struct type_caster<purview_python::Truth> {
    bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
        if (object.ptr() == Py_True || object.ptr() == Py_False) {
            value.value = object.ptr() == Py_True;
            return true;
        }
        try {
            if (!purview_python::is_truth(object)) return false;
        } catch (const std::exception&) {
            return false;
        }
        const int truth = PyObject_IsTrue(object.ptr());
        if (truth < 0) PyErr_Clear();
        value.value = truth > 0;
        return truth >= 0;
    }
    static handle from_cpp(purview_python::Truth x, rv_policy, cleanup_list*) noexcept {
        return PyBool_FromLong(x.value);
    }
    NB_TYPE_CASTER(purview_python::Truth, const_name("bool"))
};

} // namespace nanobind::detail
