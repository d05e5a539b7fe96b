// The class Array: its properties, and what it becomes. `asarray`.

#include "array_class.hpp"

#include "array_interface.hpp"
#include "as_array.hpp"
#include "casts.hpp"
#include "copies.hpp"
#include "devices.hpp"
#include "dlpack.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "python_values.hpp"
#include "text_caster.hpp"
#include "truth.hpp"

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

#include <complex>
#include <string>
#include <vector>

namespace purview_python {

nb::tuple to_tuple(pv::ShapeSpan values) {
    PyObject* const tuple = PyTuple_New(std::ssize(values));
    if (tuple == nullptr) throw nb::python_error();
    for (std::size_t i = 0; i < values.size(); ++i)
        PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(i), PyLong_FromSsize_t(values[i]));
    return nb::steal<nb::tuple>(tuple);
}

namespace {

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
    interface_is_asked(x);
    return as_slot([&] { return interface_of(self_in(x)); });
}
PyObject* get_dtype(PyObject* x, void*) noexcept {
    return as_slot([&] { return nb::cast(self_in(x).dtype()); });
}

/// `asarray` with a device: what lies elsewhere is copied there.
Array as_array_on(nb::handle device, nb::handle object, std::optional<pv::DType> dtype,
                  Copying copy) {
    const Array array = as_array(object, dtype, copy);
    if (copy == Copying::never && device_name(array) != whole_device_name(device))
        throw nb::value_error(("asarray: what lies on " + device_name(array) + " is not had on " +
                               device_given(device) + " without a copy")
                                  .c_str());
    return on_device(array, device, nb::none());
}

} // namespace

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
            const Copying how = copy.is_none()          ? Copying::if_needed
                                : nb::cast<Truth>(copy) ? Copying::always
                                                        : Copying::never;
            const auto type = dtype.is_none() ? std::optional<pv::DType>() : dtype_of(dtype);
            if (device.is_none()) return as_array(object, type, how);
            return as_array_on(device, object, type, how);
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
            "device", [](const Array& x) { return device_name(x); },
            "Where the elements lie, or are computed: \"cpu\", \"cuda:0\", \"opencl:0\".")
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
                     return nb::cast(
                         pv::Tensor<std::complex<double>>(
                             cast_to(on_host(x), pv::kDType<std::complex<double>>).operand())
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
            "to_device", &on_device, nb::arg("device"), nb::kw_only(),
            nb::arg("stream") = nb::none(),
            "The array itself if it is on a device, \"cpu\", \"cuda\", \"opencl:1\", else a copy there. "
            "A stream is one of CUDA's, which the copy is begun on.")
        .def("__dlpack_device__", &dlpack_device);
}

} // namespace purview_python
