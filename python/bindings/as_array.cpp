// What becomes an array: memory of others, numbers, texts, nested sequences of them.

#include "as_array.hpp"

#include "array_interface.hpp"
#include "casts.hpp"
#include "copies.hpp"
#include "dim_types.hpp"
#include "dlpack.hpp"
#include "errors.hpp"
#include "interop.hpp"
#include "interpreter_lock.hpp"
#include "memory.hpp"
#include "python_values.hpp"
#include "text_caster.hpp"
#include "texts.hpp"
#include "time_values.hpp"
#include "tracing.hpp"
#include "variable.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/reader/range_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/complex.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

/// Whether an item of a list is an array of others or ours, of rank 1 or more, or of symbols.
bool has_axes(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyFloat_Check(x) || PyLong_Check(x) || PyUnicode_Check(x) || PyComplex_Check(x))
        return false;
    if (const Array* const array = array_in(object))
        return array->rank() > 0 || array->operand().node->reads(pv::Below::symbol);
    if (has_dims(object)) return false;
    if (has_attribute(object, "ndim")) return nb::cast<Py_ssize_t>(object.attr("ndim")) > 0;
    if (has_attribute(object, "__array_interface__") || has_attribute(object, "__array_struct__")) {
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

/// The type of the numbers of a list, and one of Python's numbers that holds them.
struct NumberTypes {
    pv::DType type;
    pv::DType held;
};

/// The types of all of them, the numbers of NumPy and arrays of rank 0 among them replaced by Python's. Where all are of one type, it is theirs.
NumberTypes types_of_numbers(Nested& nested) {
    unsigned kinds = 0;
    std::optional<pv::DType> common;
    bool are_alike = true;
    for (nb::object& x : nested.numbers) {
        Number kind = kind_of_number(x.ptr());
        if (kind == Number::none) {
            const std::optional<Array> element = try_array(x);
            if (!element || element->rank() != 0 || is_text(element->dtype()))
                throw nb::type_error(("asarray: a list of numbers has a " + class_name(x)).c_str());
            are_alike &= !common || *common == element->dtype();
            common = element->dtype();
            x = element_to_python(*element);
            kind = kind_of_number(x.ptr());
        } else {
            are_alike = false;
        }
        kinds |= 1U << static_cast<unsigned>(kind);
    }
    const auto has = [&](Number kind) { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; };
    const pv::DType held = has(Number::complex)              ? pv::complex_dtype(pv::float64)
                           : has(Number::real) || kinds == 0 ? pv::float64
                           : has(Number::large)              ? pv::uint64
                           : has(Number::integer)            ? pv::int64
                                                             : pv::boolean;
    return {common && are_alike ? *common : held, held};
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
    const auto stacked =
        nb::cast<Array>(nb::module_::import_("purview").attr("stack")(arrays, nb::arg("axis") = 0));
    return is_tracing() ? stacked : realised(stacked);
}

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
    const auto [type, held] = types_of_numbers(nested);
    const Array numbers = held == pv::boolean   ? array_of_numbers<bool>(nested)
                          : held == pv::int64   ? array_of_numbers<std::int64_t>(nested)
                          : held == pv::uint64  ? array_of_numbers<std::uint64_t>(nested)
                          : held == pv::float64 ? array_of_numbers<double>(nested)
                                                : array_of_numbers<std::complex<double>>(nested);
    return type == held ? numbers : realised(cast_to(numbers, type));
}

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

/// Whether an object is NumPy's durations without a unit, which has counts.
bool has_no_unit(nb::handle object) {
    const auto is = [](nb::handle type, const char* what,
                       const char* value) { // the name takes long
        return has_attribute(type, what) && type.attr(what).equal(nb::str(value));
    };
    if (!has_attribute(object, "dtype")) return false;
    const nb::object type = object.attr("dtype");
    return is(type, "kind", "m") && is(type, "name", "timedelta64");
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
std::string advice_for(nb::handle object) {
    if (has_attribute(object, "dtypes") && has_attribute(object, "columns"))
        return " of columns of several types: one column, x['name'], or x.to_numpy('float64')";
    if (!has_attribute(object, "dtype")) return "";
    const nb::object dtype = object.attr("dtype");
    const auto kind = has_attribute(dtype, "kind")
                          ? nb::cast<std::string>(nb::str(dtype.attr("kind")))
                          : std::string();
    const std::string of = " of dtype " + nb::cast<std::string>(nb::str(dtype));
    if (has_attribute(dtype, "names") && !dtype.attr("names").is_none())
        return of + ": one field, x['name'], is an array";
    if (has_attribute(dtype, "tz")) return of + ": take the zone away, by tz_localize(None)";
    return of + ": one of numbers, x.astype('float64'), of text, x.astype('" +
           (kind == "S" ? "U" : "str") + "'), or of times";
}

/// The array of an object that is none of ours, which it may be asked for in Python.
std::optional<Array> array_of_other(nb::handle object) {
    if (nb::isinstance<Variable>(object)) return nb::cast<const Variable&>(object).array();
    refuse_masked(object);
    if (PyObject_CheckBuffer(object.ptr()) != 0 && !PyBytes_Check(object.ptr()))
        if (std::optional<Array> array = array_of_buffer(object)) return array;
    if (std::optional<Array> array = array_of_interface(object)) return array;
    const bool has_array = has_attribute(object, "__array__");
    // What pandas and Polars make of their columns, texts for one, NumPy has better.
    if (has_attribute(object, "__arrow_c_array__") || has_attribute(object, "num_chunks") ||
        has_attribute(object, "column_names"))
        if (is_arrow(object)) return array_of_arrow(object);
    if (has_attribute(object, "tocoo") ||
        (has_attribute(object, "coords") && has_attribute(object, "fill_value")))
        return nb::cast<Array>(
            nb::module_::import_("purview._sparse").attr("array_of_sparse")(object));
    const bool is_of_others =
        PyObject_CheckBuffer(object.ptr()) != 0; // NumPy's objects, text, structs
    if (!is_of_others && has_attribute(object, "__dlpack__")) return array_of_dlpack(object);
    if (!is_of_others && has_array && !PyType_Check(object.ptr())) {
        const nb::object array = object.attr("__array__")();
        nb::module_::import_("purview._nullable").attr("refuse_rounded")(object, array);
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
            throw nb::type_error(("no array: " + class_name(object) + advice_for(object)).c_str());
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
    if (has_no_unit(object))         // counts in the unit of the other operand
        return pv::WeakOperand{as_array(object.attr("astype")("int64")).operand(), false};
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

} // namespace purview_python
