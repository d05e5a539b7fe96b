// Arrays of text, UTF-8 as std::string.

#include "strings.hpp"

#include "as_array.hpp"
#include "dtypes.hpp"
#include "text_caster.hpp"
#include "texts.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/tensor/create.hpp>

#include <string>
#include <vector>

namespace purview_python {
namespace {

using Texts = pv::Tensor<std::string>;

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

} // namespace

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
