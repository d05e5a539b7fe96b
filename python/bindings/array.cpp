// What becomes an array, and what an array becomes.

#include "array.hpp"
#include "memory.hpp"
#include "times.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/interop/view_as.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/description.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <string>
#include <vector>

namespace purview_python {
namespace {

/// A Python number, or a text, as a constant.
std::optional<pv::Operand> try_scalar(nb::handle object) {
    if (nb::isinstance<nb::str>(object)) return text_operand(object);
    return try_number(object);
}

/// Whether a number is one of NumPy's, which has a type of its own (NEP 50): its float64 and complex128 are Python's float and complex, too.
bool is_of_numpy(nb::handle number) {
    PyObject* const x = number.ptr();
    if (PyFloat_CheckExact(x) || PyLong_CheckExact(x) || PyUnicode_CheckExact(x)) return false;
    return (PyFloat_Check(x) || PyComplex_Check(x)) && PyObject_CheckBuffer(x) != 0;
}

nb::tuple to_tuple(pv::ShapeSpan values) {
    PyObject* const tuple = PyTuple_New(std::ssize(values));
    if (tuple == nullptr) throw nb::python_error();
    for (std::size_t i = 0; i < values.size(); ++i)
        PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(i), PyLong_FromSsize_t(values[i]));
    return nb::steal<nb::tuple>(tuple);
}

Array transposed(const Array& x) {
    return Array::view_of(
        x, pv::transpose_operand(x.operand(), pv::reversed_axes(x.dimensions().max_shape())));
}
Array transposed_matrices(const Array& x) {
    if (x.rank() < 2)
        throw pv::ShapeError("mT is of matrices, not of an array of rank " +
                             std::to_string(x.rank()));
    const pv::Shape last = {-1, -2};
    return Array::view_of(x, pv::swap_axes_operand(x.operand(), last));
}

/// Throws `TypeError` for NumPy's masked arrays, unless no element is masked.
void refuse_masked(nb::handle object) {
    if (std::string_view(Py_TYPE(object.ptr())->tp_name) != "MaskedArray") return;
    if (nb::cast<bool>(nb::module_::import_("numpy").attr("ma").attr("is_masked")(object)))
        throw nb::type_error(
            "asarray: the array has masked elements: x.filled(value) has values for "
            "them, and x.mask says which they are");
}

/// What an object that is no array has instead of numbers, and what to do: for a message.
std::string way_out(nb::handle object) {
    if (nb::hasattr(object, "dtypes") && nb::hasattr(object, "columns"))
        return " of columns of several types: one column, x['name'], or x.to_numpy('float64')";
    if (!nb::hasattr(object, "dtype")) return "";
    const nb::object dtype = object.attr("dtype");
    const auto kind = nb::hasattr(dtype, "kind")
                          ? nb::cast<std::string>(nb::str(dtype.attr("kind")))
                          : std::string();
    const std::string of = " of dtype " + nb::cast<std::string>(nb::str(dtype));
    if (nb::hasattr(dtype, "names") && !dtype.attr("names").is_none())
        return of + ": one field, x['name'], is an array";
    if (nb::hasattr(dtype, "tz")) return of + ": take the zone away, by tz_localize(None)";
    return of + ": one of numbers, x.astype('float64'), of text, x.astype('" +
           (kind == "S" ? "U" : "str") + "'), or of times";
}

template <Array (*function)(const Array&)>
PyObject* get_array(PyObject* x, void*) noexcept {
    return as_slot([&] { return object_made([&] { return function(self_in(x)); }); });
}
PyObject* get_shape(PyObject* x, void*) noexcept {
    return as_slot([&] { return to_tuple(self_in(x).dimensions().max_shape()); });
}
PyObject* get_rank(PyObject* x, void*) noexcept {
    return as_slot([&] { return nb::int_(self_in(x).rank()); });
}
PyObject* get_size(PyObject* x, void*) noexcept {
    return as_slot([&] { return nb::int_(self_in(x).size()); });
}
PyObject* get_interface(PyObject* x, void*) noexcept {
    return as_slot([&] { return interface_of(self_in(x)); });
}
PyObject* get_dtype(PyObject* x, void*) noexcept {
    return as_slot([&] { return nb::cast(self_in(x).dtype()); });
}

} // namespace

PyTypeObject* array_type = nullptr;

Array realised(const Array& x) {
    return allocating("realise", x.dtype(), x.dimensions().max_shape(), [&] {
        return computing(x.size(), [&] { return pv::dense_clone_tensor(x); });
    });
}

Array cast_to(const Array& x, pv::DType dtype) {
    if (x.dtype() == dtype) return x;
    if (!x.dtype().is_builtin() || !dtype.is_builtin())
        if (std::optional<Array> converted = converted_times(x, dtype)) return *converted;
    return Array(pv::convert_operand(x.operand(), dtype, pv::Op::wrapping_cast));
}

namespace {

/// The array of an object that is none of ours, which it may be asked for in Python.
std::optional<Array> array_of_other(nb::handle object) {
    refuse_masked(object);
    if (PyObject_CheckBuffer(object.ptr()) != 0 && !PyBytes_Check(object.ptr()))
        if (std::optional<Array> array = array_of_buffer(object)) return array;
    if (std::optional<Array> array = array_of_interface(object)) return array;
    const bool has_array = nb::hasattr(object, "__array__");
    // What pandas and Polars make of their columns, texts for one, NumPy has better.
    if (nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "num_chunks") ||
        nb::hasattr(object, "column_names"))
        if (is_arrow(object)) return array_of_arrow(object);
    if (nb::hasattr(object, "tocoo") ||
        (nb::hasattr(object, "coords") && nb::hasattr(object, "fill_value")))
        return nb::cast<Array>(
            nb::module_::import_("purview._sparse").attr("array_of_sparse")(object));
    const bool is_of_others =
        PyObject_CheckBuffer(object.ptr()) != 0; // NumPy's objects, text, structs
    if (!is_of_others && nb::hasattr(object, "__dlpack__")) return array_of_dlpack(object);
    if (!is_of_others && has_array && !PyType_Check(object.ptr())) {
        const nb::object array = object.attr("__array__")();
        if (PyObject_CheckBuffer(array.ptr()) != 0) return try_array(array);
    }
    if (is_sequence(object)) return array_of_sequence(object);
    if (is_arrow(object)) return array_of_arrow(object);
    return array_of_times(nb::make_tuple(object), {});
}

} // namespace

std::optional<Array> try_array(nb::handle object) {
    if (const Array* const array = array_in(object)) return *array;
    return running_python([&] { return array_of_other(object); });
}

Array as_array(nb::handle object, std::optional<pv::DType> dtype, Copying copy) {
    std::optional<Array> array = try_array(object);
    bool is_ours = false;
    if (!array) {
        const std::optional<pv::Operand> number = try_scalar(object);
        if (!number)
            throw nb::type_error(("no array: " + class_name(object) + way_out(object)).c_str());
        array = pv::clone_tensor(Array(*number));
        is_ours = true;
    }
    is_ours = is_ours || is_sequence(object);
    const bool converts = dtype && array->dtype() != *dtype;
    if (copy == Copying::never && (converts || is_ours))
        throw nb::value_error("asarray: this cannot be had without a copy");
    if (converts && is_ours && array->dtype().is_integer() &&
        dtype->is_integer()) // throws of numbers that do not fit
        return copied(Array(pv::convert_operand(array->operand(), *dtype, pv::Op::cast)));
    if (converts) return copied(cast_to(*array, *dtype));
    if (copy == Copying::always && (!is_ours || PyRange_Check(object.ptr()))) return copied(*array);
    return *array;
}

std::optional<pv::WeakOperand> try_values(nb::handle object) {
    if (const Array* const array = array_in(object))
        return pv::WeakOperand{array->operand(), false};
    if (std::optional<pv::Operand> number = try_scalar(object))
        return pv::WeakOperand{std::move(*number), true};
    if (has_dims(object)) return {}; // its own operators know what to do
    if (std::optional<Array> array = try_array(object))
        return pv::WeakOperand{array->operand(), false};
    return {};
}

std::optional<pv::WeakOperand> try_operand(nb::handle object) {
    std::optional<pv::WeakOperand> operand = try_values(object);
    if (operand && operand->weak) operand->weak = !is_of_numpy(object);
    return operand;
}

pv::WeakOperand operand_of(nb::handle object) {
    if (std::optional<pv::WeakOperand> operand = try_operand(object)) return *std::move(operand);
    return {as_array(object).operand(), false}; // throws, naming the type
}

void add_properties(std::vector<PyType_Slot>& slots) {
    static PyGetSetDef properties[] = {
        {"shape", &get_shape, nullptr, "The number of elements along each axis.", nullptr},
        {"ndim", &get_rank, nullptr, "The number of axes.", nullptr},
        {"size", &get_size, nullptr, "The number of elements.", nullptr},
        {"dtype", &get_dtype, nullptr, "The element type.", nullptr},
        {"__array_interface__", &get_interface, nullptr,
         "Where NumPy and others find the elements; without a place where they are computed.",
         nullptr},
        {"T", &get_array<transposed>, nullptr, "The axes in reversed order: a view.", nullptr},
        {"mT", &get_array<transposed_matrices>, nullptr, "The last two axes exchanged: a view.",
         nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    slots.push_back({Py_tp_getset, properties});
}

void bind_array(nb::module_& module, nb::class_<Array>& array) {
    module.def(
        "asarray",
        [](nb::handle object, nb::handle dtype, nb::handle device, nb::handle copy,
           nb::handle order) {
            if (!order.is_none())
                nb::module_::import_("purview._common").attr("check_order")("asarray", order);
            if (!device.is_none() && nb::cast<std::string>(nb::str(device)) != "cpu")
                throw nb::value_error("asarray: the only device is \"cpu\"");
            return as_array(object, dtype.is_none() ? std::optional<pv::DType>() : dtype_of(dtype),
                            copy.is_none()          ? Copying::if_needed
                            : nb::cast<Truth>(copy) ? Copying::always
                                                    : Copying::never);
        },
        nb::arg("obj").none(), nb::arg("dtype") = nb::none(), nb::kw_only(),
        nb::arg("device") = nb::none(), nb::arg("copy") = nb::none(), nb::arg("order") = nb::none(),
        "An array of anything that is one: the buffer protocol (NumPy), DLPack, nested lists of numbers, a number. "
        "Without a copy where memory can be read in place.");

    array
        .def_prop_ro(
            "itemsize", [](const Array& x) { return x.dtype().size_bytes(); }, "Bytes per element.")
        .def_prop_ro(
            "nbytes", [](const Array& x) { return x.size_bytes(); },
            "Bytes of all elements, computed or not.")
        .def_prop_ro(
            "device", [](const Array&) { return "cpu"; }, "Always \"cpu\".")
        .def("__len__",
             [](const Array& x) {
                 if (x.rank() == 0) throw nb::type_error("len() of an array of rank 0");
                 return x.shape()[0];
             })
        .def("__bool__",
             [](const Array& x) { return nb::cast<bool>(nb::bool_(element_to_python(x))); })
        .def("__int__", [](const Array& x) { return nb::int_(element_to_python(x)); })
        .def("__index__",
             [](const Array& x) {
                 if (!x.dtype().is_integer())
                     throw nb::type_error("only an integer array of one element is an index");
                 return element_to_python(x);
             })
        .def("__float__", [](const Array& x) { return nb::float_(element_to_python(x)); })
        .def("__complex__",
             [](const Array& x) {
                 if (x.size() == 1)
                     return nb::cast(pv::Tensor<std::complex<double>>(
                                         cast_to(x, pv::kDType<std::complex<double>>).operand())
                                         .read(0));
                 return element_to_python(x); // throws
             })
        .def("item", &element_to_python,
             "The only element, as a Python number. ShapeError if there are more or none.")
        .def("tolist", &elements_to_list,
             "The elements as nested lists of Python numbers, computed now.")
        .def("realise", &copied,
             "A copy of the elements in new memory, computed now; of a sparse array sparse pairs.")
        .def("copy", &copied,
             "A copy of the elements in new memory, computed now; of a sparse array sparse pairs.")
        .def(
            "astype",
            [](const Array& x, nb::handle dtype, Truth copy) {
                const pv::DType type = dtype_of(dtype);
                return copy || type != x.dtype() ? copied(cast_to(x, type)) : x;
            },
            nb::arg("dtype"), nb::kw_only(), nb::arg("copy") = true,
            "The elements converted to another type, in new memory. Integers wrap, floats are truncated.")
        .def(
            "explain", [](const Array& x) { return pv::explain(x); },
            "How the array is computed, as text: what would run, and why. Computes nothing.")
        .def_prop_ro("_is_contiguous", [](const Array& x) { return x.is_contiguous(); })
        .def("_view_as", [](const Array& x, pv::DType dtype) { return pv::view_as(x, dtype); })
        .def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
             nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
             nb::arg("copy") = nb::none())
        .def(
            "__array_namespace__",
            [](const Array&, nb::handle) { return nb::module_::import_("purview"); }, nb::kw_only(),
            nb::arg("api_version") = nb::none())
        .def(
            "to_device",
            [](const Array& x, nb::handle device, nb::handle) {
                if (nb::cast<std::string>(nb::str(device)) != "cpu")
                    throw nb::value_error("the only device is \"cpu\"");
                return x;
            },
            nb::arg("device"), nb::kw_only(), nb::arg("stream") = nb::none(),
            "The array itself, on the only device, \"cpu\".")
        .def("__dlpack_device__", [](const Array&) { return nb::make_tuple(1, 0); });
}

} // namespace purview_python
