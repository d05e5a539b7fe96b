// Python's numbers and lists as arrays, and arrays as these.

#include "array.hpp"
#include "times.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/reader/range_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace purview_python {

std::string class_name(nb::handle object) {
    return nb::cast<std::string>(
        nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
}

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

bool is_sequence(nb::handle object) {
    return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) ||
           PyRange_Check(object.ptr());
}

namespace {

/// Whether an item of a list is an array of others or ours, of rank 1 or more.
bool has_axes(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyFloat_Check(x) || PyLong_Check(x) || PyUnicode_Check(x) || PyComplex_Check(x))
        return false;
    if (const Array* const array = array_in(object)) return array->rank() > 0;
    if (has_dims(object)) return false;
    if (nb::hasattr(object, "ndim")) return nb::cast<Py_ssize_t>(object.attr("ndim")) > 0;
    if (nb::hasattr(object, "__array_interface__") || nb::hasattr(object, "__array_struct__")) {
        const std::optional<Array> array = try_array(object);
        return array && array->rank() > 0;
    }
    return (PyObject_CheckBuffer(x) != 0 && !PyBytes_Check(x)) || is_arrow(object);
}

/// The numbers of nested sequences, and their shape.
struct Nested {
    pv::Shape shape;
    std::vector<nb::object> numbers;
    bool has_arrays = false; ///< among them, with axes: then it is no use
};
void collect(Nested& nested, nb::handle object, std::size_t depth) {
    if (nested.has_arrays) return;
    if (!is_sequence(object)) {
        nested.has_arrays = has_axes(object);
        if (nested.has_arrays) return;
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

enum class Number : std::uint8_t { none, boolean, integer, large, real, complex };

/// What kind of a Python number an object is; `large` does not fit int64. Throws `CastError` for integers that do not fit 64 bits.
Number kind_of_number(PyObject* x) {
    if (PyFloat_Check(x)) return Number::real;
    if (PyBool_Check(x)) return Number::boolean;
    if (PyLong_Check(x)) {
        int overflow = 0;
        PyLong_AsLongLongAndOverflow(x, &overflow);
        if (overflow != 0) try_number(x); // throws
        return overflow == 0 ? Number::integer : Number::large;
    }
    return PyComplex_Check(x) ? Number::complex : Number::none;
}

/// The type that holds all of them, the numbers of NumPy and arrays of rank 0 among them replaced by Python's.
pv::DType type_of_numbers(Nested& nested) {
    unsigned kinds = 0;
    for (nb::object& x : nested.numbers) {
        Number kind = kind_of_number(x.ptr());
        if (kind == Number::none) {
            const std::optional<Array> element = try_array(x);
            if (!element || element->rank() != 0)
                throw nb::type_error(("asarray: a list of numbers has a " + class_name(x)).c_str());
            x = element_to_python(*element);
            kind = kind_of_number(x.ptr());
        }
        kinds |= 1U << static_cast<unsigned>(kind);
    }
    const auto has = [&](Number kind) { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; };
    if (has(Number::complex)) return pv::complex_dtype(pv::float64);
    if (has(Number::real) || kinds == 0) return pv::float64;
    if (has(Number::large)) return pv::uint64;
    return has(Number::integer) ? pv::int64 : pv::boolean;
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

template <typename T>
PyObject* number_to_python(T x) {
    if constexpr (std::same_as<T, bool>)
        return PyBool_FromLong(x);
    else if constexpr (std::same_as<T, double>)
        return PyFloat_FromDouble(x);
    else if constexpr (std::same_as<T, std::uint64_t>)
        return PyLong_FromUnsignedLongLong(x);
    else if constexpr (std::same_as<T, std::int64_t>)
        return PyLong_FromLongLong(x);
    else
        return PyComplex_FromDoubles(x.real(), x.imag());
}

/// The next elements in row-major order as nested lists of a shape.
template <typename T>
nb::object list_of(const T*& next, pv::ShapeSpan shape) {
    if (shape.empty()) return nb::steal(number_to_python(*next++));
    nb::object list = nb::steal(PyList_New(shape[0]));
    for (pv::index_t i = 0; list.is_valid() && i < shape[0]; ++i)
        PyList_SetItem(list.ptr(), i, list_of(next, shape.subspan(1)).release().ptr());
    return list;
}

/// Calls `use` with the type of C++ that holds the elements as Python has them. False for elements that are no numbers.
template <typename F>
bool with_wide_type(pv::DType type, F use) {
    if (type == pv::boolean)
        use(std::type_identity<bool>());
    else if (type == pv::uint64)
        use(std::type_identity<std::uint64_t>());
    else if (type.is_integer())
        use(std::type_identity<std::int64_t>());
    else if (type.is_floating() || pv::is_float16(type))
        use(std::type_identity<double>());
    else if (pv::is_complex(type))
        use(std::type_identity<std::complex<double>>());
    else
        return false;
    return true;
}

/// A range of int64, which takes no memory.
std::optional<Array> array_of_range(nb::handle object) {
    if (!PyRange_Check(object.ptr())) return {};
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t step = 0;
    if (!nb::try_cast(object.attr("start"), begin) || !nb::try_cast(object.attr("stop"), end) ||
        !nb::try_cast(object.attr("step"), step))
        return {};
    return pv::tensor(std::make_shared<pv::RangeReader<pv::index_t>>(begin, end, step));
}

/// A list of arrays, or of lists of them: a new first axis. Throws `ShapeError` where they have not one shape.
Array array_of_arrays(nb::handle object) {
    nb::list arrays;
    std::optional<pv::Shape> shape;
    for (nb::handle each : object) {
        Array array = as_array(each);
        const pv::Shape of_this = pv::to_shape(array.dimensions().max_shape());
        if (shape && of_this != *shape)
            throw pv::ShapeError("asarray: arrays of shapes " + pv::to_string(*shape) + " and " +
                                 pv::to_string(of_this) + " in one list");
        shape = of_this;
        arrays.append(object_of(std::move(array)));
    }
    return realised(nb::cast<Array>(
        nb::module_::import_("purview").attr("stack")(arrays, nb::arg("axis") = 0)));
}

} // namespace

Array array_of_sequence(nb::handle object) {
    if (std::optional<Array> range = array_of_range(object)) return *range;
    Nested nested;
    collect(nested, object, 0);
    if (nested.has_arrays) return array_of_arrays(object);
    if (!nested.numbers.empty() && nb::isinstance<nb::str>(nested.numbers[0]))
        return array_of_texts(nested.shape, nested.numbers);
    if (!nested.numbers.empty() && !try_number(nested.numbers[0])) {
        nb::list times;
        for (const nb::object& x : nested.numbers) times.append(x);
        if (std::optional<Array> array = array_of_times(times, nested.shape)) return *array;
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
    nb::object result;
    const bool is_number = with_wide_type(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const pv::Tensor<T> wide(cast_to(x, pv::kDType<T>).operand());
        result = nb::steal(number_to_python<T>(wide.read(0)));
    });
    return is_number ? result : time_to_python(x);
}

namespace {

/// An element of a type that has no constants in C++: the memory of one.
class HeldElement final : public pv::Constant {
public:
    explicit HeldElement(Array element)
        : Constant(element.dtype(), pv::describe(element).pointer), element_(std::move(element)) {}

private:
    Array element_;
};

} // namespace

Array element_value(const Array& element) {
    if (is_tracing() || element.operand().node->kind() == pv::NodeKind::constant) return element;
    if (!element.dtype().is_builtin())
        return Array(pv::Operand{pv::make_node<HeldElement>(realised(element)), pv::Dimensions()});
    return pv::visit_dtype(
        element.dtype(), "an element", [&]<typename T>(std::type_identity<T>) -> Array {
            const pv::Tensor<T> typed(element.operand());
            return Array(pv::constant_operand<T>(computing(1, [&] { return typed.read(0); })));
        });
}

nb::object elements_to_list(const Array& x) {
    if (is_text(x.dtype())) return texts_to_python(x);
    nb::object result;
    const bool is_number = with_wide_type(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const pv::Tensor<T> dense(realised(cast_to(x, pv::kDType<T>)).operand());
        const T* next = dense.size() > 0 ? dense.data() : nullptr;
        result = list_of(next, dense.shape());
    });
    if (is_number) return result;
    if (x.rank() == 0) return element_to_python(x);
    nb::list list;
    for (pv::index_t i = 0; i < x.shape()[0]; ++i) list.append(elements_to_list(x.row(i)));
    return list;
}

} // namespace purview_python
