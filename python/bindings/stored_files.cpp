// Arrays and groups in files and stores of any format.

#include "stored_files.hpp"

#include "array_class.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"

#include <purview/io/cf_decoded.hpp>
#include <purview/io/stored_group.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace purview_python {
namespace {

/// Without the interpreter's lock: where names are many, or far away, it takes long.
template <typename F>
decltype(auto) looking_up(F&& work) {
    const Unlocked unlocked;
    return work();
}

using Number = pv::Attributes::Number;

/// A number of Python or NumPy; nothing for other objects.
std::optional<Number> number_of(nb::handle object) {
    if (PyBool_Check(object.ptr())) return std::nullopt;
    if (PyIndex_Check(object.ptr())) {
        const nb::object whole = nb::steal(PyNumber_Index(object.ptr()));
        if (!whole.is_valid()) PyErr_Clear(); // an array of floats
        if (std::int64_t value = 0; whole.is_valid() && nb::try_cast(whole, value)) return value;
        if (std::uint64_t value = 0; whole.is_valid() && nb::try_cast(whole, value)) return value;
    }
    const PyNumberMethods* const methods = Py_TYPE(object.ptr())->tp_as_number;
    if (methods == nullptr || methods->nb_float == nullptr) return std::nullopt;
    const double real = PyFloat_AsDouble(object.ptr());
    if (PyErr_Occurred() == nullptr) return real;
    PyErr_Clear();
    return std::nullopt;
}

/// The bytes of a text; of surrogates that stand for no byte, those that JSON's parsers make of them.
std::string bytes_of(nb::handle text) {
    std::string bytes;
    if (get_bytes_of_text(bytes, text.ptr())) return bytes;
    PyErr_Clear();
    return nb::cast<std::string>(
        text.attr("encode")("utf-8", "surrogatepass").attr("decode")("utf-8", "surrogateescape"));
}

pv::Attributes attributes_of(const nb::dict& given) {
    pv::Attributes::Values values;
    for (const auto& [name, value] : given) {
        pv::Attributes::Value& known = values[bytes_of(name)];
        const bool is_list = nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value);
        if (nb::isinstance<nb::str>(value)) {
            known.text = bytes_of(value);
        } else if (is_list) {
            for (const nb::handle element : value) {
                const std::optional<Number> number = number_of(element);
                if (!number) {
                    known.exact.clear();
                    break;
                }
                known.exact.push_back(*number);
            }
        } else if (const auto number = number_of(value)) {
            known.exact = {*number};
        }
        for (const Number& number : known.exact)
            known.numbers.push_back(
                std::visit([](auto each) { return static_cast<double>(each); }, number));
        if (!is_list && !known.numbers.empty()) known.number = known.numbers.front();
    }
    return {std::move(values), "{}"};
}

} // namespace

nb::tuple stored_to_python(const pv::StoredArray& stored) {
    return nb::make_tuple(stored.values, to_tuple(stored.chunk_shape), to_tuple(stored.shard_shape),
                          stored.dimension_names, stored.attributes.json(), stored.codecs,
                          stored.missing);
}

void bind_stored_files(nb::module_& module) {
    // An array as one of a class of Python that derives from Array.
    module.def("_array_of_class", [](nb::handle type, const Array& values) {
        nb::object made = nb::inst_alloc(type);
        new (nb::inst_ptr<Array>(made)) Array(values);
        nb::inst_mark_ready(made);
        return made;
    });
    module.def(
        "_cf_decoded",
        [](const Array& values, const nb::dict& attributes, nb::handle missing) {
            pv::StoredArray stored;
            stored.values = values;
            stored.attributes = attributes_of(attributes);
            stored.missing = number_of(missing);
            return pv::cf_decoded(stored);
        },
        nb::arg(), nb::arg(), nb::arg().none());
    nb::class_<pv::StoredGroup>(module, "_StoredGroup")
        .def("attributes",
             [](const pv::StoredGroup& group) {
                 return looking_up([&] { return group.attributes().json(); });
             })
        .def(
            "arrays",
            [](const pv::StoredGroup& group) { return looking_up([&] { return group.arrays(); }); })
        .def(
            "groups",
            [](const pv::StoredGroup& group) { return looking_up([&] { return group.groups(); }); })
        .def("array",
             [](const pv::StoredGroup& group, const std::string& name) {
                 return stored_to_python(looking_up([&] { return group.array(name); }));
             })
        .def("group", [](const pv::StoredGroup& group, const std::string& name) {
            return looking_up([&] { return group.group(name); });
        });
}

} // namespace purview_python
