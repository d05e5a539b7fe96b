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

std::string class_name(nb::handle object) {
    return nb::cast<std::string>(
        nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
}

/// A Python number as a constant; nothing for another object.
std::optional<pv::Operand> try_number(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyFloat_Check(x)) return pv::constant_operand(PyFloat_AsDouble(x));
    if (PyBool_Check(x)) return pv::constant_operand(x == Py_True);
    if (PyLong_Check(x)) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(x, &overflow);
        if (overflow == 0) return pv::constant_operand(static_cast<std::int64_t>(value));
        const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(x) : 0;
        if (overflow < 0 || PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw pv::CastError("the integer " + nb::cast<std::string>(nb::str(object)) +
                                " does not fit 64 bits");
        }
        return pv::constant_operand(static_cast<std::uint64_t>(large));
    }
    if (PyComplex_Check(x))
        return pv::constant_operand(
            std::complex<double>(PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)));
    return {};
}

/// The same, or a text.
std::optional<pv::Operand> try_scalar(nb::handle object) {
    if (nb::isinstance<nb::str>(object)) return text_operand(object);
    return try_number(object);
}

/// The numbers of nested sequences, and their shape.
struct Nested {
    pv::Shape shape;
    std::vector<nb::object> numbers;
    bool is_of_arrays = false;
};
bool is_sequence(nb::handle object) {
    return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) ||
           PyRange_Check(object.ptr());
}
void collect(Nested& nested, nb::handle object, std::size_t depth) {
    if (!is_sequence(object)) {
        if (depth < nested.shape.size())
            throw pv::ShapeError("asarray: the lists are not all " +
                                 std::to_string(nested.shape.size()) + " deep");
        nested.numbers.push_back(nb::borrow(object));
        return;
    }
    const auto length = static_cast<pv::index_t>(nb::len(object));
    if (depth == nested.shape.size()) {
        if (!nested.numbers.empty())
            throw pv::ShapeError("asarray: the lists are not equally deep");
        nested.shape.push_back(length);
    } else if (nested.shape[depth] != length) {
        throw pv::ShapeError("asarray: lists of lengths " + std::to_string(nested.shape[depth]) +
                             " and " + std::to_string(length) + " along axis " +
                             std::to_string(depth));
    }
    for (nb::handle each : object) collect(nested, each, depth + 1);
}

pv::DType type_of_numbers(const Nested& nested) {
    bool is_bool = true;
    bool is_float = nested.numbers.empty();
    bool is_complex = false;
    bool is_large = false;
    for (const nb::object& x : nested.numbers) {
        const std::optional<pv::Operand> number = try_number(x);
        if (!number) throw nb::type_error(("asarray: no number: " + class_name(x)).c_str());
        const pv::DType type = number->dtype();
        is_bool = is_bool && type == pv::boolean;
        is_float = is_float || type == pv::float64;
        is_complex = is_complex || pv::is_complex(type);
        is_large = is_large || type == pv::uint64;
    }
    if (is_complex) return pv::complex_dtype(pv::float64);
    if (is_float) return pv::float64;
    if (is_bool && !nested.numbers.empty()) return pv::boolean;
    return is_large ? pv::uint64 : pv::int64;
}

template <typename T>
Array array_of_numbers(const Nested& nested) {
    const pv::MutableTensor<T> result = pv::empty<T>(pv::AxisValues(nested.shape));
    T* out = result.size() > 0 ? result.data() : nullptr;
    for (const nb::object& x : nested.numbers)
        if constexpr (std::same_as<T, std::complex<double>>)
            *out++ = nb::cast<std::complex<double>>(x);
        else if constexpr (std::same_as<T, double>)
            *out++ = PyFloat_AsDouble(x.ptr());
        else if constexpr (std::same_as<T, bool>)
            *out++ = x.ptr() == Py_True;
        else if constexpr (std::same_as<T, std::uint64_t>)
            *out++ = PyLong_AsUnsignedLongLong(x.ptr());
        else
            *out++ = PyLong_AsLongLong(x.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return result;
}

Array array_of_sequence(nb::handle object) {
    Nested nested;
    collect(nested, object, 0);
    if (!nested.numbers.empty() && nb::isinstance<nb::str>(nested.numbers[0]))
        return array_of_texts(nested.shape, nested.numbers);
    if (!nested.numbers.empty() && !try_number(nested.numbers[0])) {
        nb::list times;
        for (const nb::object& x : nested.numbers) times.append(x);
        if (std::optional<Array> array = array_of_times(times, nested.shape)) return *array;
    }
    // Sequences of arrays, and of what NumPy's scalars are.
    for (nb::object& x : nested.numbers)
        if (!try_number(x)) {
            if (const std::optional<Array> element = try_array(x); element && element->rank() == 0)
                x = nb::cast(*element).attr("__getitem__")(nb::make_tuple()).attr("item")();
            else
                throw nb::type_error(("asarray: a list of numbers has a " + class_name(x)).c_str());
        }
    const pv::DType type = type_of_numbers(nested);
    if (type == pv::boolean) return array_of_numbers<bool>(nested);
    if (type == pv::int64) return array_of_numbers<std::int64_t>(nested);
    if (type == pv::uint64) return array_of_numbers<std::uint64_t>(nested);
    if (type == pv::float64) return array_of_numbers<double>(nested);
    return array_of_numbers<std::complex<double>>(nested);
}

nb::object element_to_python(const Array& x) {
    if (x.size() != 1)
        throw pv::ShapeError("only an array of one element is a number, not one of shape " +
                             pv::to_string(x.shape()));
    if (is_text(x.dtype())) return texts_to_python(Array(pv::reshape_operand(x.operand(), {})));
    const auto read = [&]<typename T>() {
        return pv::Tensor<T>(cast_to(x, pv::kDType<T>).operand()).read(0);
    };
    const pv::DType type = x.dtype();
    if (type == pv::boolean) return nb::bool_(read.template operator()<bool>());
    if (type == pv::uint64) return nb::int_(read.template operator()<std::uint64_t>());
    if (type.is_integer()) return nb::int_(read.template operator()<std::int64_t>());
    if (type.is_floating() || pv::is_float16(type))
        return nb::float_(read.template operator()<double>());
    if (pv::is_complex(type)) return nb::cast(read.template operator()<std::complex<double>>());
    return time_to_python(x);
}

nb::object elements_to_list(const Array& x) {
    if (x.rank() == 0) return element_to_python(x);
    nb::list list;
    for (pv::index_t i = 0; i < x.shape()[0]; ++i) list.append(elements_to_list(x.row(i)));
    return list;
}

nb::tuple to_tuple(pv::ShapeSpan values) {
    nb::list list;
    for (const pv::index_t value : values) list.append(value);
    return nb::tuple(list);
}

} // namespace

PyTypeObject* array_type = nullptr;

Array realised(const Array& x) {
    return computing(x.size(), [&] { return pv::dense_clone_tensor(x); });
}

Array cast_to(const Array& x, pv::DType dtype) {
    if (x.dtype() == dtype) return x;
    if (!x.dtype().is_builtin() || !dtype.is_builtin())
        if (std::optional<Array> converted = converted_times(x, dtype)) return *converted;
    return Array(pv::convert_operand(x.operand(), dtype, pv::Op::wrapping_cast));
}

std::optional<Array> try_array(nb::handle object) {
    if (const Array* const array = array_in(object)) return *array;
    if (PyObject_CheckBuffer(object.ptr()) != 0 && !PyBytes_Check(object.ptr()))
        if (std::optional<Array> array = array_of_buffer(object)) return array;
    if (nb::hasattr(object, "__arrow_c_array__")) return array_of_arrow(object);
    if (nb::hasattr(object, "__array_interface__"))
        if (std::optional<Array> times = array_of_interface(object)) return times;
    if (nb::hasattr(object, "tocoo") ||
        (nb::hasattr(object, "coords") && nb::hasattr(object, "fill_value")))
        return nb::cast<Array>(
            nb::module_::import_("purview._sparse").attr("array_of_sparse")(object));
    const bool is_of_others =
        PyObject_CheckBuffer(object.ptr()) != 0; // NumPy's objects, text, structs
    if (!is_of_others && nb::hasattr(object, "__dlpack__")) return array_of_dlpack(object);
    if (!is_of_others && nb::hasattr(object, "__array__")) {
        const nb::object array = object.attr("__array__")();
        if (PyObject_CheckBuffer(array.ptr()) != 0) return array_of_buffer(array);
    }
    if (is_sequence(object)) return array_of_sequence(object);
    return array_of_times(nb::make_tuple(object), {});
}

Array as_array(nb::handle object, std::optional<pv::DType> dtype, Copying copy) {
    std::optional<Array> array = try_array(object);
    bool is_ours = false;
    if (!array) {
        const std::optional<pv::Operand> number = try_scalar(object);
        if (!number) throw nb::type_error(("no array: " + class_name(object)).c_str());
        array = pv::clone_tensor(Array(*number));
        is_ours = true;
    }
    is_ours = is_ours || is_sequence(object);
    const bool converts = dtype && array->dtype() != *dtype;
    if (copy == Copying::never && (converts || is_ours))
        throw nb::value_error("asarray: this cannot be had without a copy");
    if (converts) return copied(cast_to(*array, *dtype));
    if (copy == Copying::always && !is_ours) return copied(*array);
    return *array;
}

std::optional<pv::WeakOperand> try_operand(nb::handle object) {
    if (const Array* const array = array_in(object))
        return pv::WeakOperand{array->operand(), false};
    if (std::optional<pv::Operand> number = try_scalar(object))
        return pv::WeakOperand{std::move(*number), true};
    if (has_dims(object)) return {}; // its own operators know what to do
    if (std::optional<Array> array = try_array(object))
        return pv::WeakOperand{array->operand(), false};
    return {};
}

pv::WeakOperand operand_of(nb::handle object) {
    if (std::optional<pv::WeakOperand> operand = try_operand(object)) return *std::move(operand);
    return {as_array(object).operand(), false}; // throws, naming the type
}

void bind_array(nb::module_& module, nb::class_<Array>& array) {
    module.def(
        "asarray",
        [](nb::handle object, nb::handle dtype, nb::handle device, nb::handle copy) {
            if (!device.is_none() && nb::cast<std::string>(nb::str(device)) != "cpu")
                throw nb::value_error("asarray: the only device is \"cpu\"");
            return as_array(object, dtype.is_none() ? std::optional<pv::DType>() : dtype_of(dtype),
                            copy.is_none()         ? Copying::if_needed
                            : nb::cast<bool>(copy) ? Copying::always
                                                   : Copying::never);
        },
        nb::arg("obj").none(), nb::arg("dtype") = nb::none(), nb::kw_only(),
        nb::arg("device") = nb::none(), nb::arg("copy") = nb::none(),
        "An array of anything that is one: the buffer protocol (NumPy), DLPack, nested lists of numbers, a number. "
        "Without a copy where memory can be read in place.");

    array
        .def_prop_ro(
            "shape", [](const Array& x) { return to_tuple(x.dimensions().max_shape()); },
            "The number of elements along each axis.")
        .def_prop_ro(
            "ndim", [](const Array& x) { return x.rank(); }, "The number of axes.")
        .def_prop_ro(
            "size", [](const Array& x) { return x.size(); }, "The number of elements.")
        .def_prop_ro(
            "dtype", [](const Array& x) { return x.dtype(); }, "The element type.")
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
        .def(
            "tolist",
            [](const Array& x) {
                if (is_text(x.dtype())) return texts_to_python(x);
                return elements_to_list(purview_python::is_sparse(x) ? realised(x) : x);
            },
            "The elements as nested lists of Python numbers, computed now.")
        .def("realise", &copied,
             "A copy of the elements in new memory, computed now; of a sparse array sparse pairs.")
        .def("copy", &copied,
             "A copy of the elements in new memory, computed now; of a sparse array sparse pairs.")
        .def(
            "astype",
            [](const Array& x, nb::handle dtype, bool copy) {
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
        .def_prop_ro(
            "T",
            [](const Array& x) {
                return Array::view_of(
                    x, pv::transpose_operand(x.operand(),
                                             pv::reversed_axes(x.dimensions().max_shape())));
            },
            "The axes in reversed order: a view.")
        .def_prop_ro(
            "mT",
            [](const Array& x) {
                if (x.rank() < 2)
                    throw pv::ShapeError("mT is of matrices, not of an array of rank " +
                                         std::to_string(x.rank()));
                const pv::Shape last = {-1, -2};
                return Array::view_of(x, pv::swap_axes_operand(x.operand(), last));
            },
            "The last two axes exchanged: a view.")
        .def("__dlpack_device__", [](const Array&) { return nb::make_tuple(1, 0); });
}

} // namespace purview_python
