// Arrays of text, UTF-8 as std::string.

#include "array.hpp"
#include "memory.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/tensor/create.hpp>

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace purview_python {
namespace {

using Texts = pv::Tensor<std::string>;

std::string text_of(nb::handle object) {
    Py_ssize_t length = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
    if (bytes == nullptr) throw nb::python_error(); // lone surrogates
    return {bytes, static_cast<std::size_t>(length)};
}

/// The strings of an array. Throws `DtypeError` for other elements.
Texts texts_of(nb::handle object, const char* what) {
    const Array x = as_array(object);
    if (!is_text(x.dtype())) pv::throw_dtype_unsupported(what, x.dtype());
    return Texts(x.operand());
}

template <typename F>
void bind_text(nb::module_& module, const char* name, F function, const char* text) {
    module.def(
        name, [name, function](nb::handle x) { return Array(function(texts_of(x, name))); },
        nb::arg("x"), text);
}
template <typename F>
void bind_pair(nb::module_& module, const char* name, F function, const char* text) {
    module.def(
        name,
        [name, function](nb::handle x, nb::handle part) {
            const Texts texts = texts_of(x, name);
            if (nb::isinstance<nb::str>(part)) return Array(function(texts, text_of(part)));
            return Array(function(texts, texts_of(part, name)));
        },
        nb::arg("x"), nb::arg("part"), text);
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        throw pv::FormatError("asarray: text has the code point " + std::to_string(code) +
                              ", which UTF-8 lacks");
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            add(0xE0 | code >> 12);
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 0x3F));
        }
        add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

nb::object text_to_python(const std::string& text) {
    PyObject* const object =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
}

nb::object list_of(const std::string*& next, pv::ShapeSpan shape) {
    if (shape.empty()) return text_to_python(*next++);
    nb::list list;
    for (pv::index_t i = 0; i < shape[0]; ++i) list.append(list_of(next, shape.subspan(1)));
    return list;
}

} // namespace

bool is_text(pv::DType dtype) { return dtype == pv::kDType<std::string>; }

pv::Operand text_operand(nb::handle text) { return pv::constant_operand(text_of(text)); }

Array array_of_texts(pv::ShapeSpan shape, const std::vector<nb::object>& texts) {
    const pv::MutableTensor<std::string> result =
        pv::empty<std::string>(pv::AxisValues(pv::to_shape(shape)));
    std::string* out = result.size() > 0 ? result.data() : nullptr;
    for (const nb::object& each : texts) {
        if (!nb::isinstance<nb::str>(each))
            throw nb::type_error(("asarray: no text among texts: " + told(each)).c_str());
        *out++ = text_of(each);
    }
    return result;
}

Array array_of_code_points(pv::MemoryDescriptor memory, pv::index_t width,
                           std::shared_ptr<const void> owner) {
    const pv::Shape shape = memory.shape;
    memory.dtype = pv::uint32;
    memory.shape.push_back(width);
    memory.strides.push_back(4);
    const Array codes = realised(pv::wrap_described(memory, std::move(owner)));
    const pv::MutableTensor<std::string> result = pv::empty<std::string>(pv::AxisValues(shape));
    computing(codes.size(), [&] {
        if (result.size() == 0) return;
        const auto* code = static_cast<const std::uint32_t*>(
            codes.size() > 0 ? pv::describe(codes).pointer : nullptr);
        std::string* out = result.data();
        for (pv::index_t i = 0; i < result.size(); ++i, code += width) {
            pv::index_t length = width; // zeros at the end are none of the text
            while (length > 0 && code[length - 1] == 0) --length;
            for (pv::index_t k = 0; k < length; ++k) append_utf8(out[i], code[k]);
        }
    });
    return result;
}

nb::object texts_to_python(const Array& x) {
    const Array memory = realised(x);
    const std::string* next =
        x.size() > 0 ? pv::Tensor<std::string>(memory.operand()).data() : nullptr;
    return list_of(next, x.dimensions().max_shape());
}

void bind_strings(nb::module_& module) {
    bind_text(module, "to_lower", pv::to_lower, "ASCII letters in lower case.");
    bind_text(module, "to_upper", pv::to_upper, "ASCII letters in upper case.");
    bind_text(module, "trim", pv::trim, "Without the blanks at both ends.");
    bind_text(module, "text_length", pv::text_length, "The number of bytes of UTF-8.");
    bind_pair(module, "contains", pv::contains, "Whether a text contains the part.");
    bind_pair(module, "starts_with", pv::starts_with, "Whether a text begins with the part.");
    bind_pair(module, "ends_with", pv::ends_with, "Whether a text ends with the part.");
    bind_pair(module, "find_text", pv::find_text,
              "The byte at which the part first occurs in a text, or -1.");
    module.def("_texts", [](nb::list texts, nb::handle shape) {
        pv::Shape extents;
        for (nb::handle each : shape)
            extents.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(each)));
        std::vector<nb::object> each_of;
        for (nb::handle each : texts) each_of.push_back(nb::borrow(each));
        return array_of_texts(extents, each_of);
    });
    module.def(
        "substring",
        [](nb::handle x, std::int64_t begin, nb::handle count) {
            return Array(
                pv::substring(texts_of(x, "substring"), begin,
                              count.is_none() ? INT64_MAX : nb::cast<std::int64_t>(count)));
        },
        nb::arg("x"), nb::arg("begin"), nb::arg("count") = nb::none(),
        "At most `count` bytes of each text from `begin` on, which counts from the end if it is negative.");
    module.def(
        "replace_all",
        [](nb::handle x, nb::str from, nb::str to) {
            return Array(pv::replace_all(texts_of(x, "replace_all"), text_of(from), text_of(to)));
        },
        nb::arg("x"), nb::arg("old"), nb::arg("new"), "Every occurrence of a part replaced.");
    module.def(
        "parse",
        [](nb::handle x, nb::handle dtype) {
            const Texts texts = texts_of(x, "parse");
            return pv::visit_dtype(
                dtype_of(dtype), "parse",
                [&]<typename T>(std::type_identity<T>) -> Array { return pv::parse<T>(texts); });
        },
        nb::arg("x"), nb::arg("dtype") = "float64",
        "The numbers that texts say. Raises CastError, when it is read, for a text that is none.");
    module.def(
        "to_text",
        [](nb::handle x) {
            const Array numbers = as_array(x);
            return pv::visit_dtype(numbers.dtype(), "to_text",
                                   [&]<typename T>(std::type_identity<T>) -> Array {
                                       return pv::to_text(pv::Tensor<T>(numbers.operand()));
                                   });
        },
        nb::arg("x"), "Each number as the shortest text that is parsed back to it.");
}

} // namespace purview_python
