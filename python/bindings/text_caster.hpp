#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>

// In place of nanobind/stl/string.h: files have names and texts that are no UTF-8. Bytes that are none are surrogates in Python, as in
// os.fsdecode, and become the same bytes again.

namespace purview_python {

/// The text of bytes; a new reference, never null but without memory.
inline PyObject* text_of_bytes(const std::string& bytes) noexcept {
    return PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                                "surrogateescape");
}

/// Writes the bytes of a text to `bytes`. False, and an error of Python, where it has surrogates that stand for no byte.
inline bool get_bytes_of_text(std::string& bytes, PyObject* text) {
    Py_ssize_t size = 0;
    if (const char* const utf8 = PyUnicode_AsUTF8AndSize(text, &size)) {
        bytes.assign(utf8, static_cast<std::size_t>(size));
        return true;
    }
    PyErr_Clear();
    const nanobind::object encoded =
        nanobind::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"));
    char* data = nullptr;
    if (!encoded.is_valid() || PyBytes_AsStringAndSize(encoded.ptr(), &data, &size) != 0)
        return false;
    bytes.assign(data, static_cast<std::size_t>(size));
    return true;
}

} // namespace purview_python

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
    NB_TYPE_CASTER(std::string, const_name("str"))

    bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
        if (!PyUnicode_Check(object.ptr())) return false;
        if (purview_python::get_bytes_of_text(value, object.ptr())) return true;
        PyErr_Clear();
        return false;
    }

    static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
        return purview_python::text_of_bytes(text);
    }
};

} // namespace nanobind::detail
