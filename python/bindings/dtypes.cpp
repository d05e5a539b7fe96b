// Element types: purview.dtype, and what names one.

#include "dtypes.hpp"

#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"
#include "texts.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>

#include <nanobind/operators.h>
#include <nanobind/stl/string_view.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace purview_python {
namespace {

const pv::DType kTypes[] = {pv::boolean,
                            pv::int8,
                            pv::int16,
                            pv::int32,
                            pv::int64,
                            pv::uint8,
                            pv::uint16,
                            pv::uint32,
                            pv::uint64,
                            pv::float16,
                            pv::bfloat16,
                            pv::float32,
                            pv::float64,
                            pv::complex_dtype(pv::float32),
                            pv::complex_dtype(pv::float64)};

template <typename D>
using At = std::chrono::sys_time<D>;
using Days = std::chrono::days;
/// Those that NumPy has names for.
const pv::DType kTimes[] = {pv::kDType<At<std::chrono::nanoseconds>>,
                            pv::kDType<At<std::chrono::microseconds>>,
                            pv::kDType<At<std::chrono::milliseconds>>,
                            pv::kDType<At<std::chrono::seconds>>,
                            pv::kDType<At<std::chrono::minutes>>,
                            pv::kDType<At<std::chrono::hours>>,
                            pv::kDType<At<Days>>,
                            pv::kDType<std::chrono::nanoseconds>,
                            pv::kDType<std::chrono::microseconds>,
                            pv::kDType<std::chrono::milliseconds>,
                            pv::kDType<std::chrono::seconds>,
                            pv::kDType<std::chrono::minutes>,
                            pv::kDType<std::chrono::hours>,
                            pv::kDType<Days>};

} // namespace

pv::DType dtype_named(std::string_view name) {
    for (const pv::DType type : kTypes)
        if (type.name() == name) return type;
    for (const pv::DType type : kTimes)
        if (type.name() == name) return type;
    if (name == "string") return pv::kDType<std::string>;
    // NumPy's codes: f8, <i4.
    constexpr std::pair<std::string_view, std::string_view> kCodes[] = {
        {"?", "bool"},         {"b1", "bool"},    {"boolean", "bool"},  {"bool_", "bool"},
        {"i1", "int8"},        {"i2", "int16"},   {"i4", "int32"},      {"i8", "int64"},
        {"u1", "uint8"},       {"u2", "uint16"},  {"u4", "uint32"},     {"u8", "uint64"},
        {"f2", "float16"},     {"f4", "float32"}, {"f8", "float64"},    {"c8", "complex64"},
        {"c16", "complex128"}, {"int", "int64"},  {"float", "float64"}, {"complex", "complex128"}};
    const std::string_view code =
        name.starts_with('<') || name.starts_with('=') ? name.substr(1) : name;
    if (code.starts_with("M8[") || code.starts_with("m8["))
        return dtype_named((code[0] == 'M' ? "datetime64" : "timedelta64") +
                           std::string(code.substr(2)));
    for (const auto& [each, ours] : kCodes)
        if (each == code) return dtype_named(ours);
    return pv::dtype_from_name(name); // throws, naming it
}

pv::DType dtype_of(nb::handle object) {
    if (nb::isinstance<pv::DType>(object)) return nb::cast<pv::DType>(object);
    if (nb::isinstance<nb::str>(object)) return dtype_named(nb::cast<std::string>(object));
    PyObject* const type = object.ptr();
    if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) return pv::boolean;
    if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) return pv::int64;
    if (type == reinterpret_cast<PyObject*>(&PyFloat_Type)) return pv::float64;
    if (type == reinterpret_cast<PyObject*>(&PyUnicode_Type)) return pv::kDType<std::string>;
    if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return pv::complex_dtype(pv::float64);
    // NumPy's dtypes have a name; its scalar types are classes of that name.
    for (const char* const attribute : {"name", "__name__"})
        if (has_attribute(object, attribute)) {
            const nb::object name = object.attr(attribute);
            if (nb::isinstance<nb::str>(name)) return dtype_named(nb::cast<std::string>(name));
        }
    throw nb::type_error(("no element type: " + message_text(object)).c_str());
}

namespace {

/// That of the equal dtype of NumPy's, where there is one. A thread asks for it once.
Py_hash_t hash_of(pv::DType type) {
    thread_local std::map<std::string, Py_hash_t> known;
    const std::string name(type.name());
    if (const auto found = known.find(name); found != known.end()) return found->second;
    Py_hash_t hash = nb::hash(nb::str(name.c_str()));
    if (!is_text(type) && type != pv::bfloat16) try {
            hash = nb::hash(nb::module_::import_("numpy").attr("dtype")(name));
        } catch (const nb::python_error&) { // without NumPy
        }
    return known.emplace(name, hash).first->second;
}

} // namespace

void bind_dtypes(nb::module_& module) {
    nb::class_<pv::DType>(module, "dtype", "An element type.")
        .def(
            "__init__",
            [](pv::DType* self, nb::handle object) { new (self) pv::DType(dtype_of(object)); },
            nb::arg("dtype"),
            "Of one of ours, NumPy's, a name or a Python type. DtypeError for what is none.")
        .def_prop_ro(
            "name", [](pv::DType type) { return type.name(); }, "Its name, as NumPy's.")
        .def_prop_ro(
            "itemsize", [](pv::DType type) { return type.size_bytes(); }, "Bytes per element.")
        .def_prop_ro(
            "type", [](nb::handle type) -> nb::object { return type.attr("dtype").attr("type"); },
            "NumPy's class of scalars of this type.")
        .def_prop_ro(
            "kind", [](nb::handle type) -> nb::object { return type.attr("dtype").attr("kind"); },
            "NumPy's letter for the kind of numbers.")
        .def_prop_ro(
            "str", [](nb::handle type) -> nb::object { return type.attr("dtype").attr("str"); },
            "NumPy's code of the type.")
        .def_prop_ro(
            "char", [](nb::handle type) -> nb::object { return type.attr("dtype").attr("char"); },
            "NumPy's letter for the type.")
        .def_prop_ro(
            "num", [](nb::handle type) -> nb::object { return type.attr("dtype").attr("num"); },
            "NumPy's number of the type.")
        .def_prop_ro(
            "names", [](pv::DType) { return nb::none(); }, "None: there are no fields.")
        .def_prop_ro(
            "hasobject", [](pv::DType) { return false; }, "False: elements are no Python objects.")
        .def_prop_ro(
            "isnative", [](pv::DType) { return true; },
            "True: the bytes of elements are in the machine's order.")
        .def_prop_ro(
            "metadata", [](pv::DType) { return nb::none(); }, "None: nothing else is said of it.")
        .def_prop_ro(
            "dtype",
            [](pv::DType type) {
                return nb::module_::import_("numpy").attr("dtype")(is_text(type) ? "O"
                                                                                 : type.name());
            },
            "NumPy's dtype: `np.dtype(pv.float32)` finds it here.")
        .def(
            "__eq__",
            [](pv::DType type, nb::handle other) {
                if (nb::isinstance<pv::DType>(other)) return type == nb::cast<pv::DType>(other);
                try {
                    return !other.is_none() && type == dtype_of(other);
                } catch (const std::exception&) {
                    return false;
                }
            },
            nb::arg("other").none())
        .def("__hash__", &hash_of)
        .def("__repr__", [](pv::DType type) { return "purview." + std::string(type.name()); })
        .def("__reduce__", [](pv::DType type) {
            return nb::make_tuple(nb::type<pv::DType>(), nb::make_tuple(type.name()));
        });
    module.attr("string") = nb::cast(pv::kDType<std::string>);
    for (const pv::DType type : kTypes)
        module.attr(std::string(type.name()).c_str()) = nb::cast(type);
}

} // namespace purview_python
